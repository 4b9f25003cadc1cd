import './styles.ts'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { startLanguage } from '../ui/language.ts'
import { App, OutdatedPage } from './App.tsx'
import { takeAddress } from './link.ts'

// Only for those who watch.
const Watch = lazy(() => import('./watch/Watch.tsx').catch(() => ({ default: OutdatedPage })))

const address = takeAddress()
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })

await startLanguage('room')
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      {address.isLivePage ? (
        <Suspense>
          <Watch address={address} />
        </Suspense>
      ) : (
        <App address={address} />
      )}
    </QueryClientProvider>
  </StrictMode>,
)
