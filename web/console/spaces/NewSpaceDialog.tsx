import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { createSpace, uploadLogo } from '../data/spaces.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, requiredText, textOf } from '../ui/Form.tsx'
import { tellProblem } from '../ui/notify.ts'
import { logoFileOf } from './LogoFields.tsx'
import { SpaceFields } from './SpaceFields.tsx'

export const NewSpaceDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const send = async (fields: FormData) => {
    const description = textOf(fields, 'description')
    const logo = textOf(fields, 'logo')
    const id = await createSpace({
      name: requiredText(fields, 'name'),
      ...(description !== undefined && { description }),
      ...(logo !== undefined && { logo }),
      isPublic: fields.has('isPublic'),
    })
    const file = logoFileOf(fields)
    // The space is there all the same, and its settings take another image.
    if (file) await uploadLogo(id, file).catch(tellProblem)
    await navigate(`/spaces/${id}`)
  }
  return (
    <Dialog opened={opened} onClose={onClose} title={t('spaces.create')}>
      <Form submitLabel={t('spaces.create.submit')} send={send} onCancel={onClose}>
        {errorAt => <SpaceFields errorAt={errorAt} />}
      </Form>
    </Dialog>
  )
}
