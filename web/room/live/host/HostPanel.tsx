import { useTranslation } from 'react-i18next'
import { useLive } from '../context.ts'
import { People } from '../People.tsx'
import { Access } from './Access.tsx'
import classes from './host.module.css'
import { Links } from './Links.tsx'
import { Permissions } from './Permissions.tsx'
import { Recording } from './Recording.tsx'
import { useMayChangeRoom } from './roomChange.ts'
import { Section } from './Section.tsx'
import { Streaming } from './Streaming.tsx'
import { Waiting } from './Waiting.tsx'

/** Everything a host may change, subject by subject. */
export const HostPanel = () => {
  const { t } = useTranslation()
  const { call } = useLive()
  const mayChangeRoom = useMayChangeRoom()
  return (
    <div className={classes.host}>
      <Waiting />
      <Recording />
      <Streaming />
      {mayChangeRoom ? (
        <>
          <Access />
          <Permissions />
        </>
      ) : (
        <p className={classes.note}>{t('host.accountNeeded')}</p>
      )}
      <Links />
      <Section title={t('people.titleCount', { count: call?.participantCount ?? 1 })}>
        <People />
      </Section>
    </div>
  )
}
