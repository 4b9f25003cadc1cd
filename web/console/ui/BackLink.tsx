import { Anchor } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from 'react-router'
import classes from './BackLink.module.css'

/** To the page that this one is a part of, above its title. */
export const BackLink = ({ to, label }: { to: string; label: string }) => (
  <Anchor component={Link} to={to} size="sm" className={classes.back}>
    <IconArrowLeft size={16} aria-hidden />
    {label}
  </Anchor>
)
