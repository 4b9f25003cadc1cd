import { Alert, Button, FileButton, Group, List, Progress, Stack, Text, Textarea } from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InviteRole } from '../../../contract/invites.ts'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { createInvites } from '../data/invites.ts'
import { renew } from '../data/query.ts'
import { mayInvite } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Choices } from '../ui/Choices.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { InviteLinks } from './InviteLinks.tsx'
import { type Line, MAX_LINES, readLines } from './manyInvites.ts'

const roles: InviteRole[] = ['role_space_user', 'role_space_moderator']
const AT_ONCE = 50
/** Of lines and of problems: the first show what all are like. */
const SHOWN = 5

interface Link {
  label: string
  url: string
}

/** One invite for each line that is pasted or read from a file; then their links, to copy or download. */
export const ManyInvitesDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const [text, setText] = useState('')
  const [role, setRole] = useState<InviteRole>('role_space_user')
  const [links, setLinks] = useState<Link[]>([])
  const lines = useMemo(() => readLines(text), [text])
  const problems = lines.filter(({ problem }) => problem !== null)
  const isReady = lines.length > 0 && lines.length <= MAX_LINES && problems.length === 0
  // A part that is sent again, for no answer came, makes no second invites.
  const keys = useRef<string[]>([])
  const { mutate, error, isPending, isSuccess, reset } = useMutation({
    async mutationFn() {
      const made = [...links]
      while (made.length < lines.length) {
        const part = lines.slice(made.length, made.length + AT_ONCE).map(({ label }) => label)
        const at = Math.floor(made.length / AT_ONCE)
        keys.current[at] ??= crypto.randomUUID()
        made.push(...(await createInvites(space.id, role, part, keys.current[at])))
        setLinks([...made])
      }
    },
    onSettled: () => renew('invites', space.id),
  })
  const clear = () => {
    setText('')
    setLinks([])
    keys.current = []
    reset()
  }
  const hasBegun = links.length > 0 || isPending || error !== null
  return (
    <Dialog
      opened={opened}
      onClose={() => !isPending && onClose()}
      onExitTransitionEnd={clear}
      size="lg"
      title={t(isSuccess ? 'invites.many.ready' : 'invites.many')}
    >
      {isSuccess ? (
        <InviteLinks links={links} onClose={onClose} />
      ) : (
        <Stack gap="md">
          <Textarea
            label={t('invites.many.lines')}
            description={t('invites.many.lines.text')}
            placeholder={t('invites.many.example')}
            minRows={5}
            maxRows={12}
            autosize
            value={text}
            onChange={event => setText(event.currentTarget.value)}
            disabled={hasBegun}
            data-autofocus
          />
          <Group justify="space-between" gap="xs">
            <FileButton
              accept=".csv,.txt,text/csv,text/plain"
              onChange={async file => file && setText(await file.text())}
            >
              {props => (
                <Button
                  {...props}
                  variant="default"
                  size="xs"
                  leftSection={<IconFileSpreadsheet size={14} aria-hidden />}
                  disabled={hasBegun}
                >
                  {t('invites.many.file')}
                </Button>
              )}
            </FileButton>
            <Text size="sm" c="dimmed" aria-live="polite">
              {t('invites.many.count', { count: lines.length })}
            </Text>
          </Group>
          <Preview lines={lines} problems={problems} />
          <Choices
            label={t('invites.as')}
            values={roles.filter(choice => mayInvite(space, choice))}
            keyOf={value => `invites.as.${value}`}
            value={role}
            onChange={value => !hasBegun && setRole(value)}
          />
          {hasBegun && (
            <Progress
              value={(links.length / lines.length) * 100}
              aria-label={t('invites.many.progress', { done: links.length, count: lines.length })}
              animated={isPending}
            />
          )}
          {error && <ProblemNotice error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={isPending}>
              {t('cancel')}
            </Button>
            <Button onClick={() => mutate()} disabled={!isReady} loading={isPending}>
              {error ? t('tryAgain') : t('invites.many.submit', { count: lines.length })}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}

const Preview = ({ lines, problems }: { lines: Line[]; problems: Line[] }) => {
  const { t } = useTranslation()
  if (lines.length > MAX_LINES)
    return (
      <Alert color="red" variant="light">
        {t('invites.many.tooMany', { max: MAX_LINES })}
      </Alert>
    )
  if (problems.length > 0)
    return (
      <Alert color="red" variant="light" title={t('invites.many.problems', { count: problems.length })}>
        <List size="sm">
          {problems.slice(0, SHOWN).map(({ number, problem, first }) => (
            <List.Item key={number}>{t(`invites.many.${problem ?? 'invalid'}`, { line: number, first })}</List.Item>
          ))}
          {problems.length > SHOWN && (
            <List.Item>{t('invites.many.more', { count: problems.length - SHOWN })}</List.Item>
          )}
        </List>
      </Alert>
    )
  if (lines.length === 0) return null
  return (
    <List size="sm" aria-label={t('invites.many.preview')}>
      {lines.slice(0, SHOWN).map(({ number, label }) => (
        <List.Item key={number} style={{ overflowWrap: 'anywhere' }}>
          {label}
        </List.Item>
      ))}
      {lines.length > SHOWN && <List.Item>{t('invites.many.more', { count: lines.length - SHOWN })}</List.Item>}
    </List>
  )
}
