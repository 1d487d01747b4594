package main

import (
	"fmt"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func (w *world) requestToken(account string, bound *authenticationv1.BoundObjectReference) (string, error) {
	seconds := int64(600)
	request, err := w.client.CoreV1().ServiceAccounts(w.namespace).CreateToken(w.ctx, account,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds, BoundObjectRef: bound}},
		metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return request.Status.Token, nil
}

func (w *world) reviewToken(token string) (authenticationv1.TokenReviewStatus, error) {
	review, err := w.client.AuthenticationV1().TokenReviews().Create(w.ctx,
		&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
	if err != nil {
		return authenticationv1.TokenReviewStatus{}, err
	}
	return review.Status, nil
}

// tokenEnds waits until the token is refused: kube-apiserver remembers good tokens for a few seconds.
func (w *world) tokenEnds(token string) error {
	return w.eventually(func() bool {
		status, err := w.reviewToken(token)
		return err == nil && !status.Authenticated
	})
}

func (w *world) withToken(token string) (kubernetes.Interface, error) {
	config := rest.AnonymousClientConfig(w.config)
	config.BearerToken = token
	return kubernetes.NewForConfig(config)
}

// tokens gets a service account's token, has it reviewed, and uses it.
func tokens(w *world) error {
	token, err := w.requestToken("default", nil)
	if err != nil {
		return err
	}
	status, err := w.reviewToken(token)
	if err != nil {
		return err
	}
	expected := fmt.Sprintf("system:serviceaccount:%s:default", w.namespace)
	if !status.Authenticated || status.User.Username != expected {
		return fmt.Errorf("the review says %+v", status)
	}
	client, err := w.withToken(token)
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

func (w *world) makeNode(name string) (*corev1.Node, error) {
	return w.client.CoreV1().Nodes().Create(w.ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
}

// nodeTokens end with the node that they are bound to, not with a later one of its name.
func nodeTokens(w *world) error {
	name := w.namespace + "-node"
	node, err := w.makeNode(name)
	if err != nil {
		return err
	}
	token, err := w.requestToken("default", &authenticationv1.BoundObjectReference{Kind: "Node", APIVersion: "v1", Name: name})
	if err != nil {
		return err
	}
	status, err := w.reviewToken(token)
	if err != nil {
		return err
	}
	extra := status.User.Extra
	if extra["authentication.kubernetes.io/node-name"][0] != name ||
		extra["authentication.kubernetes.io/node-uid"][0] != string(node.UID) {
		return fmt.Errorf("the review says %+v", status)
	}
	if err := w.client.CoreV1().Nodes().Delete(w.ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := w.makeNode(name); err != nil {
		return err
	}
	defer w.client.CoreV1().Nodes().Delete(w.ctx, name, metav1.DeleteOptions{})
	return w.tokenEnds(token)
}

// podTokens tell their pod and its node, to others and to themselves, and end with the pod.
func podTokens(w *world) error {
	pods := w.client.CoreV1().Pods(w.namespace)
	pod, err := pods.Create(w.ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "bound"},
		Spec: corev1.PodSpec{NodeName: "nowhere", Containers: []corev1.Container{{Name: "c", Image: "i"}}}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	token, err := w.requestToken("default", &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: "bound", UID: pod.UID})
	if err != nil {
		return err
	}
	client, err := w.withToken(token)
	if err != nil {
		return err
	}
	self, err := client.AuthenticationV1().SelfSubjectReviews().Create(w.ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	status, err := w.reviewToken(token)
	if err != nil {
		return err
	}
	for _, extra := range []map[string]authenticationv1.ExtraValue{self.Status.UserInfo.Extra, status.User.Extra} {
		if extra["authentication.kubernetes.io/pod-name"][0] != "bound" ||
			extra["authentication.kubernetes.io/pod-uid"][0] != string(pod.UID) ||
			extra["authentication.kubernetes.io/node-name"][0] != "nowhere" ||
			len(extra["authentication.kubernetes.io/node-uid"]) != 0 ||
			!strings.HasPrefix(extra["authentication.kubernetes.io/credential-id"][0], "JTI=") {
			return fmt.Errorf("the token tells %+v", extra)
		}
	}
	if err := pods.Delete(w.ctx, "bound", *metav1.NewDeleteOptions(0)); err != nil {
		return err
	}
	return w.tokenEnds(token)
}

// boundTokens are for objects that exist and belong to the account.
func boundTokens(w *world) error {
	accounts := w.client.CoreV1().ServiceAccounts(w.namespace)
	if _, err := accounts.Create(w.ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "other"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	pods := w.client.CoreV1().Pods(w.namespace)
	if _, err := pods.Create(w.ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "of-default"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	secret, err := w.client.CoreV1().Secrets(w.namespace).Create(w.ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "bound"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	refuse := func(account string, ref *authenticationv1.BoundObjectReference, matches func(error) bool) error {
		if _, err := w.requestToken(account, ref); !matches(err) {
			return fmt.Errorf("%s bound to %+v: %v", account, ref, err)
		}
		return nil
	}
	pod := func(uid types.UID) *authenticationv1.BoundObjectReference {
		return &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: "of-default", UID: uid}
	}
	if err := refuse("other", pod(""), apierrors.IsBadRequest); err != nil {
		return err
	}
	if err := refuse("default", pod("another"), apierrors.IsConflict); err != nil {
		return err
	}
	if err := refuse("default", &authenticationv1.BoundObjectReference{Kind: "ConfigMap", APIVersion: "v1", Name: "x"}, apierrors.IsBadRequest); err != nil {
		return err
	}
	token, err := w.requestToken("default", &authenticationv1.BoundObjectReference{Kind: "Secret", APIVersion: "v1", Name: "bound", UID: secret.UID})
	if err != nil {
		return err
	}
	if err := w.client.CoreV1().Secrets(w.namespace).Delete(w.ctx, "bound", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return w.tokenEnds(token)
}
