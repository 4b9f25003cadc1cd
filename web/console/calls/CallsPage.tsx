import { Anchor } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'react-router'
import { api } from '../../ui/api.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { usePages } from '../data/pages.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Page } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'

/** The calls of the space, or of one of its rooms. */
export const CallsPage = () => {
  const { t } = useTranslation()
  const { id: spaceId } = useThisSpace()
  const { roomId } = useParams()
  const calls = usePages(['calls', spaceId, roomId ?? ''], query =>
    roomId === undefined ? api.listSpaceCalls({ spaceId, ...query }) : api.listCalls({ spaceId, roomId, ...query }),
  )
  return (
    <Page title={t('calls.title')}>
      <PagedRecords
        label={t('calls.title')}
        pages={calls}
        idOf={call => call.id}
        empty={<Empty icon={IconHistory} title={t('calls.empty.title')} text={t('calls.empty.text')} />}
        columns={[
          {
            head: t('name'),
            isName: true,
            cell: call => (
              <Anchor component={Link} to={call.id}>
                {call.roomName}
              </Anchor>
            ),
          },
          { head: t('calls.started'), cell: call => <RelativeTime time={call.startedAt} /> },
        ]}
      />
    </Page>
  )
}
