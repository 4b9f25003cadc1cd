import { Loader } from '@mantine/core'
import { IconBan, IconBlur } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { type Background, backgrounds } from '../../devices.ts'
import classes from './backgrounds.module.css'
import { pictures } from './pictures.ts'

const Sample = ({ background }: { background: Background }) => {
  if (background === 'none') return <IconBan size={24} aria-hidden />
  if (background === 'blur') return <IconBlur size={24} aria-hidden />
  return <img src={pictures[background]} alt="" />
}

interface ChoiceProps {
  chosen: Background
  isPending: boolean
  onChoose: (background: Background) => void
}

/** What is behind the person: as it is, blurred, or a picture. */
const Choice = ({ chosen, isPending, onChoose }: ChoiceProps) => {
  const { t } = useTranslation()
  return (
    <fieldset className={classes.backgrounds} aria-busy={isPending}>
      <legend>{t('background.title')}</legend>
      {backgrounds.map(background => (
        <label key={background} className={classes.choice} title={t(`background.${background}`)}>
          <input
            type="radio"
            name="background"
            aria-label={t(`background.${background}`)}
            checked={chosen === background}
            onChange={() => !isPending && onChoose(background)}
          />
          <Sample background={background} />
          {isPending && chosen === background && <Loader size="xs" className={classes.pending} />}
        </label>
      ))}
    </fieldset>
  )
}
// The lobby loads it where it is offered.
export default Choice
