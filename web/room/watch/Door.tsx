import { Button, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { credentialsAs, type RoomAccess } from '../access.ts'
import { type Refusal, reasonOf } from '../closed/reasons.ts'
import { rememberName } from '../link.ts'
import lobbyClasses from '../lobby/lobby.module.css'
import { NameField } from '../lobby/NameField.tsx'
import { Page } from '../Page.tsx'
import { SpaceLogo } from '../SpaceLogo.tsx'

interface DoorProps {
  access: RoomAccess
  onWatch: (access: RoomAccess) => void
  onRefused: (refusal: Refusal) => void
}

/** For those who come by a link that is not used yet. */
export const Door = ({ access, onWatch, onRefused }: DoorProps) => {
  const { t } = useTranslation()
  const [name, setName] = useState(access.name ?? '')
  const [isNameMissing, setNameMissing] = useState(false)
  const nameField = useRef<HTMLInputElement>(null)
  const { mutate, isPending } = useMutation({
    mutationFn: () => credentialsAs(access, name.trim()),
    onSuccess: credentials => onWatch({ ...access, credentials }),
    onError: error => onRefused({ reason: reasonOf(error) }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') {
      setNameMissing(true)
      return nameField.current?.focus()
    }
    if (access.nameSetBy === null) rememberName(name.trim())
    mutate()
  }
  return (
    <Page>
      <div className={lobbyClasses.lobby} data-viewer>
        <form className={lobbyClasses.form} onSubmit={submit} noValidate>
          <Stack gap="md">
            <div>
              <div className={lobbyClasses.space}>
                {access.logo && <SpaceLogo src={access.logo} />}
                <Text>{access.spaceName}</Text>
              </div>
              <Title order={1} size="h2" className={lobbyClasses.room}>
                {access.roomName}
              </Title>
              <Text className={lobbyClasses.inCallAlready}>{t('watch.door')}</Text>
            </div>
            <NameField
              ref={nameField}
              access={access}
              name={name}
              isMissing={isNameMissing}
              isReadOnly={isPending}
              onChange={text => {
                setName(text)
                setNameMissing(false)
              }}
            />
            <Button type="submit" size="lg" fullWidth loading={isPending}>
              {t('watch.watch')}
            </Button>
          </Stack>
        </form>
      </div>
    </Page>
  )
}
