import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Records.module.css'

interface Column<T> {
  /** Shown above the column; on a phone before each value. */
  head: string
  cell: (record: T) => ReactNode
  /** The record's name: stands out, and without its head on a phone. */
  isName?: boolean
  /** Buttons and menus: at the end, without a visible head. */
  isActions?: boolean
}

export interface RecordsProps<T> {
  /** What these are, for screen readers. */
  label: string
  columns: Column<T>[]
  records: T[]
  idOf: (record: T) => string
}

const classOf = ({ isName, isActions }: Pick<Column<never>, 'isName' | 'isActions'>) =>
  isName ? classes.name : isActions ? classes.actions : undefined

/**
 * Records in columns that align; on a phone each one below the other. The roles are told outright, as a table that is
 * laid out otherwise is none any more to screen readers.
 */
export const Records = <T,>({ label, columns, records, idOf }: RecordsProps<T>) => (
  <Table className={classes.records} verticalSpacing="sm" horizontalSpacing="xs" aria-label={label} role="table">
    <Table.Thead role="rowgroup">
      <Table.Tr role="row">
        {columns.map(column => (
          <Table.Th key={column.head} role="columnheader" className={classOf(column)}>
            {column.isActions ? <span className={classes.unseen}>{column.head}</span> : column.head}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody role="rowgroup">
      {records.map(record => (
        <Table.Tr key={idOf(record)} role="row">
          {columns.map(column => (
            <Table.Td key={column.head} role="cell" className={classOf(column)} data-head={column.head}>
              {column.cell(record)}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)
