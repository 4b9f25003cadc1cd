import { useTranslation } from 'react-i18next'
import type { NameOfTexts } from '../texts.ts'
import { ConfirmButton } from './Confirm.tsx'
import { Section } from './Page.tsx'

interface ConfirmSectionProps {
  /** Of its own in the catalogue: the action itself, and under it `text`, `title` and `confirm`. */
  texts: NameOfTexts<'.confirm', '' | '.text' | '.title'>
  /** What it is done to, for the question. */
  name?: string
  /** To be typed first, where much is lost. */
  typedName?: string
  onConfirm: () => Promise<unknown>
}

/** What takes something away for good, apart from the rest of the page. */
export const ConfirmSection = ({ texts, name, ...confirm }: ConfirmSectionProps) => {
  const { t } = useTranslation()
  return (
    <Section title={t(texts)} description={t(`${texts}.text`)}>
      <div>
        <ConfirmButton
          label={t(texts)}
          size="sm"
          variant="outline"
          title={t(`${texts}.title`, { name })}
          text={t(`${texts}.confirm`)}
          confirmLabel={t(texts)}
          {...confirm}
        />
      </div>
    </Section>
  )
}
