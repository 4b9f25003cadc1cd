import { Text } from '@mantine/core'
import { IconPlayerRecordFilled } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { RecordNotice } from '../../../contract/records.ts'
import classes from './lobby.module.css'

/** People are told before they join. It may begin while they look. */
export const RecordingNotice = ({ recording }: { recording: RecordNotice | null }) => {
  const { t } = useTranslation()
  return (
    <div role="status">
      {recording && (
        <Text className={classes.recording}>
          <IconPlayerRecordFilled size={16} aria-hidden />
          {t(`lobby.recording.${recording}`)}
        </Text>
      )}
    </div>
  )
}
