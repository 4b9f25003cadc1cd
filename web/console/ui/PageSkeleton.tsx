import { Skeleton, Stack } from '@mantine/core'

/** A page whose content is on its way. */
export const PageSkeleton = () => (
  <Stack gap="lg" aria-hidden>
    <Skeleton h={28} w={220} my={4} />
    <Stack gap="md">
      {[100, 86, 93].map(width => (
        <Skeleton key={width} h={20} w={`${width}%`} />
      ))}
    </Stack>
  </Stack>
)
