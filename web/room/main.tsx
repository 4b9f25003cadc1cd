import './styles.ts'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startLanguage } from '../ui/language.ts'
import { App } from './App.tsx'
import { takeAddress } from './link.ts'

const address = takeAddress()
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })

await startLanguage('room')
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App address={address} />
    </QueryClientProvider>
  </StrictMode>,
)
