import { Text } from '@mantine/core'
import { IconBroadcast, IconPlayerRecordFilled } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { RecordNotice } from '../../../contract/records.ts'
import classes from './lobby.module.css'

/** People are told before they join. It may begin while they look. */
export const Notices = ({ recording, isStreamed }: { recording: RecordNotice | null; isStreamed: boolean }) => {
  const { t } = useTranslation()
  return (
    <div role="status">
      {recording && (
        <Text className={classes.notice}>
          <IconPlayerRecordFilled size={16} aria-hidden />
          {t(`lobby.recording.${recording}`)}
        </Text>
      )}
      {isStreamed && (
        <Text className={classes.notice}>
          <IconBroadcast size={16} aria-hidden />
          {t('lobby.streamed')}
        </Text>
      )}
    </div>
  )
}
