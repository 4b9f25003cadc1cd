import type { ReactNode } from 'react'
import { useMe } from '../data/session.ts'
import { NotFoundPage } from '../shell/NotFoundPage.tsx'

/** For others these pages are not there. */
export const OperatorOnly = ({ children }: { children: ReactNode }) =>
  useMe().isOperator ? children : <NotFoundPage />
