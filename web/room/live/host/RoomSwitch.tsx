import { Switch } from '@mantine/core'
import { useLive } from '../context.ts'
import { useRoomChange } from './roomChange.ts'

type Known = NonNullable<ReturnType<typeof useLive>['room']>
/** The settings of a room that are on or off. */
type Flag = { [K in keyof Known]-?: Known[K] extends boolean ? K : never }[keyof Known]

interface RoomSwitchProps {
  flag: Flag
  label: string
  description?: string
}

/** A setting of the room, as everyone has it at this moment. */
export const RoomSwitch = ({ flag, label, description }: RoomSwitchProps) => {
  const { room } = useLive()
  const { change, changing } = useRoomChange()
  return (
    <Switch
      labelPosition="left"
      styles={{ body: { justifyContent: 'space-between' } }}
      label={label}
      description={description}
      // Shown as chosen while it is on its way.
      checked={changing?.[flag] ?? room?.[flag] ?? false}
      disabled={!room}
      onChange={event => change({ [flag]: event.currentTarget.checked })}
    />
  )
}
