import { IconSearchOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Empty } from './Empty.tsx'

/** A search, or a filter, without a result. */
export const NothingFound = ({ q }: { q: string }) => {
  const { t } = useTranslation()
  const text = q === '' ? 'filter.none' : 'search.none'
  return <Empty icon={IconSearchOff} title={t(text, { q })} text={t(`${text}.text`)} />
}
