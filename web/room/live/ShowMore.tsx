import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface ShowMoreProps {
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }
}

/** Below a list, as long as there is more of it. */
export const ShowMore = ({ pages }: ShowMoreProps) => {
  const { t } = useTranslation()
  if (!pages.hasNextPage) return null
  return (
    <Button variant="subtle" fullWidth loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
      {t('showMore')}
    </Button>
  )
}
