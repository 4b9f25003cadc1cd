import { Menu } from '@mantine/core'
import { IconMoodSmile } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { entriesOf } from '../../../ui/entries.ts'
import { useLive } from '../context.ts'
import classes from '../live.module.css'
import { emojis } from '../reactions.ts'
import { Control, ICON } from './Control.tsx'

/** In a menu: one press, and it closes. */
export const ReactionRow = () => {
  const { t } = useTranslation()
  const { reactions } = useLive()
  return (
    <div className={classes.reactions}>
      {entriesOf(emojis).map(([reaction, emoji]) => (
        <Menu.Item
          key={reaction}
          className={classes.reaction}
          p={0}
          ta="center"
          aria-label={t(`react.${reaction}`)}
          onClick={() => reactions.react(reaction)}
        >
          {emoji}
        </Menu.Item>
      ))}
    </div>
  )
}

export const ReactionControl = () => {
  const { t } = useTranslation()
  return (
    <Menu position="top" width={300}>
      <Menu.Target>
        <Control
          icon={<IconMoodSmile size={ICON} aria-hidden />}
          label={t('live.control.react')}
          hint={t('react.title')}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <ReactionRow />
      </Menu.Dropdown>
    </Menu>
  )
}
