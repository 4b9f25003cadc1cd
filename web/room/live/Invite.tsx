import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../ui/CopyField.tsx'
import { liveLinkOf } from '../../ui/liveLink.ts'
import { useLive } from './context.ts'
import { Dialog } from './Dialog.tsx'
import { linksKeyOf } from './host/links.ts'
import { refusalText } from './refusal.ts'

interface InviteProps {
  isOpen: boolean
  /** It leads to the live page. */
  isToWatch?: boolean
  onClose: () => void
}

/** Makes a guest link and copies it; where copying is forbidden, as in some frames, the link is there to be taken. */
export const Invite = ({ isOpen, isToWatch, onClose }: InviteProps) => {
  const { t } = useTranslation()
  const { joinedCall } = useLive()
  const { spaceId, roomId } = joinedCall.access
  const queries = useQueryClient()
  const link = useMutation({
    mutationFn: async (isPermanent: boolean) => {
      const made = await joinedCall.client.generateAccess({ spaceId, roomId, role: 'user', isPermanent })
      const url = isToWatch ? liveLinkOf(made.url) : made.url
      const isCopied = await navigator.clipboard?.writeText(url).then(
        () => true,
        () => false,
      )
      return { url, isCopied }
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: linksKeyOf(roomId) }),
  })
  const refusal = link.error && refusalText(link.error, t, { not_allowed: 'invite.notAllowed' })
  return (
    <Dialog
      opened={isOpen}
      onClose={() => {
        link.reset()
        onClose()
      }}
      title={t(isToWatch ? 'live.stream.invite' : 'live.invite')}
    >
      <Stack>
        <Text>{t(isToWatch ? 'invite.live.text' : 'invite.text')}</Text>
        <Stack gap="xs">
          <Button variant="default" loading={link.isPending && !link.variables} onClick={() => link.mutate(false)}>
            {t('invite.once')}
          </Button>
          <Button loading={link.isPending && link.variables} onClick={() => link.mutate(true)}>
            {t('invite.many')}
          </Button>
        </Stack>
        <div role="status">
          {link.data && (
            <Stack gap="xs">
              <CopyField label={t(link.variables ? 'invite.link.many' : 'invite.link.once')} value={link.data.url} />
              {link.data.isCopied && <Text size="sm">{t('invite.copied')}</Text>}
            </Stack>
          )}
        </div>
        {refusal && <Text role="alert">{refusal}</Text>}
      </Stack>
    </Dialog>
  )
}
