import { Button } from '@mantine/core'
import { IconBuildingCommunity } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyAction } from '../../ui/CopyAction.tsx'
import { type SpaceWithPlan, useAllSpaces } from '../data/operator.ts'
import { PlanText } from '../spaces/PlanText.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Page } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { OperatorOnly } from './OperatorOnly.tsx'
import { PlanDialog } from './PlanDialog.tsx'

export const AllSpacesPage = () => (
  <OperatorOnly>
    <AllSpaces />
  </OperatorOnly>
)

const AllSpaces = () => {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<SpaceWithPlan | null>(null)
  return (
    <Page title={t('allSpaces.title')} description={t('allSpaces.text')}>
      <PagedRecords
        label={t('allSpaces.title')}
        pages={useAllSpaces()}
        idOf={space => space.id}
        empty={
          <Empty icon={IconBuildingCommunity} title={t('allSpaces.empty.title')} text={t('allSpaces.empty.text')} />
        }
        columns={[
          { head: t('name'), isName: true, cell: space => space.name },
          { head: t('role.role_space_owner'), cell: space => space.owner.username },
          { head: t('plan'), cell: space => <PlanText space={space} /> },
          {
            head: t('actions'),
            isActions: true,
            cell: space => (
              <>
                <CopyAction label={t('space.id.of', { name: space.name })} value={space.id} variant="subtle" />
                <Button
                  size="compact-xs"
                  variant="subtle"
                  onClick={() => setChosen(space)}
                  aria-label={t('plan.change.named', { name: space.name })}
                >
                  {t('plan.change')}
                </Button>
              </>
            ),
          },
        ]}
      />
      <PlanDialog space={chosen} onClose={() => setChosen(null)} />
    </Page>
  )
}
