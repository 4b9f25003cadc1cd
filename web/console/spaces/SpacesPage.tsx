import { Anchor, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconStack2 } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useSpaces } from '../data/spaces.ts'
import { Empty } from '../ui/Empty.tsx'
import { Page } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { NewSpaceDialog } from './NewSpaceDialog.tsx'
import { Onboarding } from './Onboarding.tsx'

export const SpacesPage = () => {
  const { t } = useTranslation()
  const spaces = useSpaces()
  const [isCreating, { open, close }] = useDisclosure()
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {t('spaces.create')}
    </Button>
  )
  const hasSpaces = (spaces.data?.length ?? 0) > 0
  return (
    <Page title={t('spaces.title')} description={t('spaces.text')} actions={hasSpaces && create}>
      <Onboarding />
      <PagedRecords
        label={t('spaces.title')}
        pages={spaces}
        idOf={space => space.id}
        empty={
          <Empty icon={IconStack2} title={t('spaces.empty.title')} text={t('spaces.empty.text')} action={create} />
        }
        columns={[
          {
            head: t('name'),
            isName: true,
            cell: space => (
              <Anchor component={Link} to={`/spaces/${space.id}`} inherit>
                {space.name}
              </Anchor>
            ),
          },
          { head: t('spaces.role'), cell: space => t(`role.${space.role}`) },
          {
            head: t('access'),
            cell: space => t(space.isPublic ? 'access.public' : 'access.private'),
          },
          { head: t('created'), cell: space => <RelativeTime time={space.createdAt} /> },
        ]}
      />
      <NewSpaceDialog opened={isCreating} onClose={close} />
    </Page>
  )
}
