package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"lectern.example/integrator/lectern"
)

func main() {
	ctx := context.Background()
	token := ""
	authorize := func(_ context.Context, request *http.Request) error {
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}
	client, err := lectern.NewClientWithResponses(os.Getenv("URL"), lectern.WithRequestEditorFn(authorize))
	must(err, nil)

	username, password := "operator", os.Getenv("PASSWORD")
	tokens, err := client.CreateTokenWithResponse(ctx, lectern.CreateTokenJSONRequestBody{
		GrantType: "password", Username: &username, Password: &password,
	})
	must(err, tokens.Body)
	token = tokens.JSON200.AccessToken

	space, err := client.CreateSpacesWithResponse(ctx, nil, lectern.NewSpace{Name: "School"})
	must(err, space.Body)
	room, err := client.CreateRoomsWithResponse(ctx, space.JSON200.Id, nil, lectern.NewRoom{Name: "Algebra"})
	must(err, room.Body)
	missing, err := client.GetSpaceWithResponse(ctx, "none")
	must(err, nil)
	if missing.ApplicationproblemJSON404.Code != "not_found" {
		log.Fatal(string(missing.Body))
	}
	guest := "Edsger"
	link, err := client.GenerateAccessWithResponse(ctx, space.JSON200.Id, room.JSON200.Id, nil, lectern.NewLink{
		Role: "user", Username: &guest,
	})
	must(err, link.Body)
	fmt.Println(link.JSON200.Url)
}

func must(err error, body []byte) {
	if err != nil {
		log.Fatal(err, string(body))
	}
}
