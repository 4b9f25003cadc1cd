/** A name like `=1+1` must stay a name when a spreadsheet opens the file. */
const cell = (value: string | number) => {
  const text = String(value)
  return `"${(/^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
}

type CsvRow = (string | number)[]

export const csvRow = (row: CsvRow) => `${row.map(cell).join(',')}\r\n`

/** The mark at the start tells spreadsheets that this is UTF-8. */
export const csvHead = (header: CsvRow) => `\uFEFF${csvRow(header)}`
