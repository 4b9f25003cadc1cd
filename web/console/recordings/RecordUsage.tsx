import { Progress, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { bytes } from '../../ui/bytes.ts'
import { useRecordUsage } from '../data/records.ts'
import { managesSpace } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'

/** From here on, recordings should be deleted. */
const NEARLY_FULL = 0.9

/** What the recordings of the space take, for those who manage it. `label` says whose they are, where that is not said. */
export const RecordUsage = ({ label }: { label?: string }) => {
  const { t, i18n } = useTranslation()
  const space = useThisSpace()
  const usage = useRecordUsage(space.id, managesSpace(space)).data
  if (!usage) return null
  const { count, size, quota } = usage
  const words =
    quota === null
      ? t('recordings.usage', { count, size: bytes(size, i18n.language) })
      : t('recordings.usageOf', { count, size: bytes(size, i18n.language), quota: bytes(quota, i18n.language) })
  return (
    <Stack gap={4} maw={320}>
      <Text size="sm">
        {label && `${label}: `}
        {words}
      </Text>
      {quota !== null && (
        <Progress
          value={Math.min(1, size / quota) * 100}
          size="sm"
          aria-label={words}
          {...(size / quota > NEARLY_FULL && { color: 'red' })}
        />
      )}
    </Stack>
  )
}
