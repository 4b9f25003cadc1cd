import { Paper, Stack, Text, ThemeIcon } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** Nothing here yet: what this is for, and the first step. */
export const Empty = ({
  icon: Icon,
  title,
  text,
  action,
}: {
  icon: Icon
  /** Where the page's own does not say it. */
  title?: string
  text: string
  action?: ReactNode
}) => (
  <Paper bg="var(--mantine-color-default-hover)" p="xl">
    <Stack align="center" gap="sm" maw={460} mx="auto" ta="center" style={{ textWrap: 'balance' }}>
      <ThemeIcon variant="light" size="xl" radius="xl" aria-hidden>
        <Icon size={22} />
      </ThemeIcon>
      {title && <Text fw={600}>{title}</Text>}
      <Text c="dimmed" size="sm">
        {text}
      </Text>
      {action}
    </Stack>
  </Paper>
)
