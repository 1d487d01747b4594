package main

import (
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// tokens gets a service account's token, has it reviewed, and uses it.
func tokens(w *world) error {
	seconds := int64(600)
	request, err := w.client.CoreV1().ServiceAccounts(w.namespace).CreateToken(w.ctx, "default",
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}},
		metav1.CreateOptions{})
	if err != nil {
		return err
	}
	review, err := w.client.AuthenticationV1().TokenReviews().Create(w.ctx,
		&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: request.Status.Token}},
		metav1.CreateOptions{})
	if err != nil {
		return err
	}
	expected := fmt.Sprintf("system:serviceaccount:%s:default", w.namespace)
	if !review.Status.Authenticated || review.Status.User.Username != expected {
		return fmt.Errorf("the review says %+v", review.Status)
	}
	config := rest.AnonymousClientConfig(w.config)
	config.BearerToken = request.Status.Token
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Secrets(w.namespace).List(w.ctx, metav1.ListOptions{})
	if err == nil {
		return fmt.Errorf("the default service account may list secrets")
	}
	_, err = client.Discovery().ServerVersion()
	return err
}
