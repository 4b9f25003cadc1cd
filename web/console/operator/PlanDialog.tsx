import { Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Plan } from '../../../contract/spaces.ts'
import { type SpaceWithPlan, setPlan } from '../data/operator.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, textOf } from '../ui/Form.tsx'

const plans: Plan[] = ['free', 'team', 'business']

/** The day as a date field has it, where the operator is. */
const dayOf = (time: string | null) => (time === null ? '' : new Date(time).toLocaleDateString('sv-SE'))
/** The last moment of that day. */
const endOf = (day: string) => new Date(`${day}T23:59:59.999`).toISOString()

/** `space` null: closed. */
export const PlanDialog = ({ space, onClose }: { space: SpaceWithPlan | null; onClose: () => void }) => {
  const { t } = useTranslation()
  const send = async (fields: FormData) => {
    const day = textOf(fields, 'activeUntil')
    if (space)
      await setPlan(space.id, {
        plan: fields.get('plan') as Plan,
        activeUntil: day === undefined ? null : endOf(day),
      })
    onClose()
  }
  return (
    <Dialog opened={space !== null} onClose={onClose} title={t('plan.title', { name: space?.name })}>
      {space && (
        <Form submitLabel={t('plan.submit')} send={send} onCancel={onClose}>
          {errorAt => (
            <>
              <Select
                name="plan"
                label={t('plan')}
                defaultValue={space.plan}
                allowDeselect={false}
                data={plans.map(value => ({ value, label: t(`plan.${value}`) }))}
                error={errorAt('plan')}
              />
              <TextInput
                name="activeUntil"
                type="date"
                label={t('plan.until')}
                description={t('plan.until.text')}
                defaultValue={dayOf(space.planActiveUntil)}
                error={errorAt('activeUntil')}
              />
            </>
          )}
        </Form>
      )}
    </Dialog>
  )
}
