import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { CopyId } from '../../ui/CopyId.tsx'
import { leaveSpace } from '../data/members.ts'
import { useMe } from '../data/session.ts'
import { deleteSpace, updateSpace, uploadLogo } from '../data/spaces.ts'
import { managesSpace, ownsSpace } from '../may.ts'
import { RecordUsage } from '../recordings/RecordUsage.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { ConfirmSection } from '../ui/ConfirmSection.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Form, requiredText, textOf } from '../ui/Form.tsx'
import { tell } from '../ui/notify.ts'
import { Page, Section } from '../ui/Page.tsx'
import { logoFileOf } from './LogoFields.tsx'
import { PlanText } from './PlanText.tsx'
import { SpaceFields } from './SpaceFields.tsx'
import { TransferOwnership } from './TransferOwnership.tsx'

export const SpaceSettingsPage = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const isOwner = ownsSpace(space)
  return (
    <Page title={t('space.settings')} description={isOwner ? t('space.settings.text') : t('space.settings.textMember')}>
      <Facts
        facts={[
          // The owner has them below, to change.
          !isOwner && [t('name'), space.name],
          !isOwner && [t('access'), t(space.isPublic ? 'access.public' : 'access.private')],
          [t('spaces.role'), t(`role.${space.role}`)],
          [t('plan'), <PlanText key="plan" space={space} />],
          managesSpace(space) && [t('recordings.title'), <RecordUsage key="recordings" />],
          [t('space.id'), <CopyId key="id" value={space.id} />],
        ]}
      />
      {isOwner && <Details />}
      {isOwner && <TransferOwnership />}
      {isOwner ? <Deletion /> : space.role !== null && <Leaving />}
    </Page>
  )
}

const Details = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const send = async (fields: FormData) => {
    const file = logoFileOf(fields)
    // First: what is wrong with it is said before anything is saved.
    if (file) await uploadLogo(space.id, file)
    await updateSpace(space.id, {
      name: requiredText(fields, 'name'),
      description: textOf(fields, 'description') ?? null,
      ...(!file && { logo: textOf(fields, 'logo') ?? null }),
      isPublic: fields.has('isPublic'),
    })
    tell(t('saved'))
  }
  return (
    <Section title={t('space.details')}>
      <Form submitLabel={t('save')} send={send}>
        {errorAt => <SpaceFields errorAt={errorAt} space={space} />}
      </Form>
    </Section>
  )
}

const Deletion = () => {
  const space = useThisSpace()
  const navigate = useNavigate()
  return (
    <ConfirmSection
      texts="space.delete"
      name={space.name}
      typedName={space.name}
      onConfirm={async () => {
        await deleteSpace(space.id)
        await navigate('/spaces')
      }}
    />
  )
}

const Leaving = () => {
  const space = useThisSpace()
  const me = useMe()
  const navigate = useNavigate()
  return (
    <ConfirmSection
      texts="space.leave"
      name={space.name}
      onConfirm={async () => {
        await leaveSpace(space.id, me.id)
        await navigate('/spaces')
      }}
    />
  )
}
