import { createContext, useContext, useEffect } from 'react'

/** What the page belongs to, such as the space, and where that is. */
export const TitleContext = createContext<{ name: string; path: string } | null>(null)

/** What tabs, bookmarks and history call this page. */
export const useTitle = (title: string | undefined) => {
  const within = useContext(TitleContext)?.name
  useEffect(() => {
    document.title = [title, within, 'Lectern'].filter(part => part !== undefined).join(' · ')
  }, [title, within])
}
