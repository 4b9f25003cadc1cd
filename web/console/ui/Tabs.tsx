import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import classes from './Tabs.module.css'

interface TabsProps {
  /** What the tabs are of, for screen readers. */
  label: string
  tabs: { to: string; label: string }[]
}

/** The parts of a page, each with an address of its own: links, so that one can be kept, sent or opened beside. */
export const Tabs = ({ label, tabs }: TabsProps) => {
  const { pathname } = useLocation()
  const strip = useRef<HTMLElement>(null)
  // On a phone the strip is wider than the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another current tab
  useEffect(() => {
    strip.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])
  return (
    <nav ref={strip} aria-label={label} className={classes.tabs}>
      {tabs.map(tab => (
        <Link
          key={tab.to}
          to={tab.to}
          className={classes.tab}
          aria-current={pathname === tab.to ? 'page' : undefined}
          preventScrollReset
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}
