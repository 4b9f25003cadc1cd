import { Anchor, Box, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useContext, useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { HeadingContext, useHeading } from '../../ui/focus.ts'
import classes from './Page.module.css'
import { TitleContext, useTitle } from './title.ts'

interface PageProps {
  /** Not yet known: its place is held. */
  title: string | undefined
  description?: ReactNode
  /** Where it stands, if its tabs have addresses below that: between them the focus stays with the tab. */
  place?: string
  /** The page's main actions, beside its title. */
  actions?: ReactNode
  children: ReactNode
}

/** One page of the console. After a navigation its heading is focused, so that it is read, and Tab goes on from it. */
export const Page = ({ title, description, place, actions, children }: PageProps) => {
  useTitle(title)
  const within = useContext(TitleContext)
  const { heading, focus } = useHeading()
  const { key, pathname } = useLocation()
  const focusedFor = useRef('')
  useEffect(() => {
    const here = place ?? pathname
    if (title === undefined || focusedFor.current === here) return
    focusedFor.current = here
    if (key !== 'default') focus()
  }, [title, key, place, pathname, focus])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="md">
        <Box flex="1 1 16rem" miw={0}>
          {within && (
            <Anchor component={Link} to={within.path} size="sm" c="dimmed" className={classes.within}>
              {within.name}
            </Anchor>
          )}
          <Title order={1} size="h2" ref={heading} tabIndex={-1} className={classes.title}>
            {title ?? <Skeleton h={28} w={220} my={4} />}
          </Title>
          {description && (
            <Text c="dimmed" size="sm" mt={4} component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <HeadingContext value={focus}>{children}</HeadingContext>
    </Stack>
  )
}

/** A part of a page under a heading of its own. */
export const Section = ({
  title,
  description,
  actions,
  children,
}: {
  title: string
  description?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}) => {
  const { heading, focus } = useHeading()
  return (
    <Stack component="section" gap="sm" mt="md" aria-label={title}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box flex="1 1 16rem" miw={0}>
          <Title order={2} size="h4" ref={heading} tabIndex={-1} className={classes.title}>
            {title}
          </Title>
          {description && (
            <Text c="dimmed" size="sm" mt={2}>
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <HeadingContext value={focus}>{children}</HeadingContext>
    </Stack>
  )
}
