import { Button, type ButtonProps } from '@mantine/core'
import { IconArrowUpRight } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

/** Into the room, in a tab of its own: the console stays where it is during the lesson. */
export const OpenRoomButton = ({
  room,
  ...button
}: { room: { alias: string; name: string } } & Pick<ButtonProps, 'size' | 'variant'>) => {
  const { t } = useTranslation()
  return (
    <Button
      component="a"
      href={`/room/${room.alias}`}
      target="_blank"
      rel="noopener"
      size="xs"
      variant="light"
      rightSection={<IconArrowUpRight size={14} aria-hidden />}
      aria-label={t('rooms.open.named', { name: room.name })}
      {...button}
    >
      {t('rooms.open')}
    </Button>
  )
}
