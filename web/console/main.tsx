import { MantineProvider } from '@mantine/core'
import '@mantine/core/styles.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Logo } from '../ui/Logo.tsx'
import { startLanguage } from '../ui/language.ts'
import { theme } from '../ui/theme.ts'

await startLanguage('console')
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={new QueryClient()}>
        <Logo />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
