import { Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { Page } from '../Page.tsx'
import classes from './lobby.module.css'

/** The shape of the lobby while the room is being opened. */
export const LobbySkeleton = ({ label }: { label: string }) => (
  <Page>
    <div className={classes.lobby} aria-busy>
      <VisuallyHidden role="status">{label}</VisuallyHidden>
      <div className={classes.preview}>
        <Skeleton className={classes.screen} radius={16} />
        <div className={classes.choices}>
          <Skeleton height={36} />
          <Skeleton height={36} />
        </div>
      </div>
      <Stack gap="md">
        <Skeleton height={32} width="40%" />
        <Skeleton height={32} />
        <Skeleton height={60} />
        <Skeleton height={50} />
      </Stack>
    </div>
  </Page>
)
