import { Box, Center, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Logo } from '../../ui/Logo.tsx'
import { ColorSchemeSwitch, LanguageSwitch } from '../../ui/Preferences.tsx'

/** A page without the navigation: signing in, an invite, or nothing else could be shown. */
export const StandalonePage = ({ title, text, children }: { title: string; text?: ReactNode; children: ReactNode }) => (
  <Center component="main" mih="100dvh" p="md">
    <Stack w="100%" maw={360} gap="lg">
      <Logo size={28} />
      <Box>
        <Title order={1} size="h2">
          {title}
        </Title>
        {text && (
          <Text c="dimmed" size="sm" mt={4} component="div">
            {text}
          </Text>
        )}
      </Box>
      {children}
      <Group grow gap="xs" mt="md">
        <LanguageSwitch />
        <ColorSchemeSwitch />
      </Group>
    </Stack>
  </Center>
)
