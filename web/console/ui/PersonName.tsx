import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useMe } from '../data/session.ts'

interface Person {
  userId: string
  displayName: string
  username: string
}

/** By the name they go by, with the username where it is another. */
export const PersonName = ({ person: { userId, displayName, username } }: { person: Person }) => {
  const { t } = useTranslation()
  const me = useMe()
  return (
    <div>
      {userId === me.id ? t('youNamed', { name: displayName }) : displayName}
      {displayName !== username && (
        <Text size="xs" c="dimmed">
          {username}
        </Text>
      )}
    </div>
  )
}
