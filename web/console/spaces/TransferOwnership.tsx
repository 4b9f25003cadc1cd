import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useMembers } from '../data/members.ts'
import { useMe } from '../data/session.ts'
import { handSpaceOver } from '../data/spaces.ts'
import { MemberSelect } from '../people/MemberSelect.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, requiredText } from '../ui/Form.tsx'
import { tell } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'

/** To another member, who then decides; so it is asked for by name. */
export const TransferOwnership = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const me = useMe()
  const [opened, { open, close }] = useDisclosure()
  const members = useMembers(space.id).data
  const isAlone = !members?.some(({ userId }) => userId !== me.id)
  const send = async (fields: FormData) => {
    await handSpaceOver(space.id, requiredText(fields, 'userId'))
    close()
    tell(t('space.transfer.done'))
  }
  return (
    <Section title={t('space.transfer')} description={t('space.transfer.text')}>
      <div>
        <Button variant="default" onClick={open} disabled={isAlone}>
          {t('space.transfer.action')}
        </Button>
        {members && isAlone && (
          <Text size="sm" c="dimmed" mt="xs">
            {t('space.transfer.nobody')}
          </Text>
        )}
      </div>
      <Dialog opened={opened} onClose={close} title={t('space.transfer')}>
        <Form submitLabel={t('space.transfer.submit')} send={send} needs={['userId']} onCancel={close}>
          {errorAt => (
            <>
              <Text size="sm">{t('space.transfer.confirm')}</Text>
              <MemberSelect name="userId" label={t('space.transfer.to')} except={me.id} error={errorAt('userId')} />
            </>
          )}
        </Form>
      </Dialog>
    </Section>
  )
}
