import { Skeleton, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRole } from '../data/roles.ts'
import type { Room } from '../data/rooms.ts'

/** What taking the user's role away, or lowering it, ends. */
export const RoleLoss = ({ room, userId }: { room: Room; userId: string }) => {
  const { t } = useTranslation()
  const { data, isPending } = useRole(room, userId)
  return (
    <Stack gap="xs">
      <div>{t('roles.revoke.text')}</div>
      {isPending && <Skeleton h={20} maw={280} />}
      {!isPending && !data && <div>{t('roles.revoke.unknown')}</div>}
      {data && data.linkCount > 0 && <div>{t('roles.revoke.links', { count: data.linkCount })}</div>}
      {data && data.guestCount > 0 && <div>{t('roles.revoke.guests', { count: data.guestCount })}</div>}
    </Stack>
  )
}
