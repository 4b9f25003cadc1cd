import type { ReactNode } from 'react'
import { Logo } from '../ui/Logo.tsx'
import { LanguageMenu } from './LanguageMenu.tsx'
import classes from './page.module.css'

/** What surrounds everything but the live stage. */
export const Page = ({ children }: { children: ReactNode }) => (
  <div className={classes.page}>
    <header className={classes.head}>
      <Logo />
      <LanguageMenu />
    </header>
    <main className={classes.main}>{children}</main>
  </div>
)
