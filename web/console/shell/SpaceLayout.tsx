import { createContext, useContext } from 'react'
import { Outlet, useParams } from 'react-router'
import type { Space } from '../../../contract/spaces.ts'
import { useSpace as useSpaceQuery } from '../data/spaces.ts'
import { LoadedPage } from '../ui/LoadedPage.tsx'
import { TitleContext } from '../ui/title.ts'

const SpaceContext = createContext<Space | null>(null)

/** The space that the page is about. */
export const useThisSpace = (): Space => {
  const space = useContext(SpaceContext)
  if (!space) throw new Error('This page belongs into a space')
  return space
}

/** Around all pages of a space: they are shown once it is known, and to whom it is. */
export const SpaceLayout = () => {
  const { spaceId = '' } = useParams()
  const query = useSpaceQuery(spaceId)
  return (
    <LoadedPage query={query}>
      {space => (
        <SpaceContext value={space}>
          <TitleContext value={{ name: space.name, path: `/spaces/${space.id}` }}>
            <Outlet key={space.id} />
          </TitleContext>
        </SpaceContext>
      )}
    </LoadedPage>
  )
}
