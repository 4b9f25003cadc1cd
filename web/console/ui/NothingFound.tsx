import { IconSearchOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Empty } from './Empty.tsx'

/** A search without a result. */
export const NothingFound = ({ q }: { q: string }) => {
  const { t } = useTranslation()
  return <Empty icon={IconSearchOff} title={t('search.none', { q })} text={t('search.none.text')} />
}
