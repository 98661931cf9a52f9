"""Tests an integration against the fake marketplace, which runs as a server. Needs only Python's standard library.

    npx marketplace-seller-sdk fake --quiet --control-token of-my-test-suite &
    FAKE_TOKEN=of-my-test-suite python3 examples/webhook_test.py

The integration below answers each new question. The tests register it as a callback of the fake. They control faults,
the clock, tokens and notifications through the control endpoints. Another test logs in as a seller.
"""

import base64
import hashlib
import http.client
import json
import os
import secrets
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BASE_URL = os.environ.get("FAKE_URL", "http://127.0.0.1:4010")
CONTROL_TOKEN = os.environ.get("FAKE_TOKEN", "of-my-test-suite")


def request(method, path, body=None, headers=None):
    """Sends a request. Returns its status and its JSON, or None for a response without a body."""
    data = None if body is None else json.dumps(body).encode()
    sent = urllib.request.Request(BASE_URL + path, data, headers or {}, method=method)
    try:
        with urllib.request.urlopen(sent, timeout=10) as response:
            return response.status, json.loads(response.read() or "null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or "null")


def control(method, name, body=None):
    """Calls a control endpoint of the fake. An invalid call makes the test fail."""
    status, result = request(method, f"/__fake/{name}", body, {"x-fake-token": CONTROL_TOKEN})
    if status != 200:
        raise AssertionError(f"{method} {name}: {result['message']}")
    return result


class Integration:
    """The program under test. It answers each question that it is notified about once."""

    def __init__(self, token):
        self.token = token
        self.errors = []

    def call(self, method, path, body=None):
        return request(method, path, body, {"authorization": f"Bearer {self.token}"})

    def on_notification(self, notification):
        """Handles a notification. Returns the status to respond with: 200 when it is done, 503 to receive it again."""
        status, question = self.call("GET", notification["resource"])
        if status >= 500:
            return 503
        if status != 200:
            self.errors.append(status)
            return 200
        if question["status"] == "UNANSWERED":
            answer = {"question_id": question["id"], "text": "Yes, it is in stock."}
            status, _ = self.call("POST", "/answers", answer)
        return 503 if status >= 500 else 200


class WebhookTest(unittest.TestCase):
    def setUp(self):
        control("POST", "reset")
        control("POST", "clock", {"set": "2026-03-02T12:00:00Z"})
        self.token = control("POST", "tokens", {"user_id": 1001})["token"]
        self.integration = Integration(self.token)
        self.server = serve(self.integration)
        self.port = self.server.server_address[1]

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def subscribe(self, **faults):
        callback = f"http://127.0.0.1:{self.port}/notifications"
        control("POST", "notifications", {"callback": callback, "timeoutMs": 10_000, "faults": faults})

    def ask(self):
        question = {"from": 1002, "item_id": "MLA600000001", "text": "Is it in stock?"}
        return control("POST", "questions", question)["id"]

    def deliver(self):
        """Posts all notifications now, retries included. Returns the outcome of each attempt."""
        control("POST", "flush")
        return [attempt["outcome"] for attempt in control("GET", "notifications")["attempts"]]

    def question(self, question_id):
        return request("GET", f"/questions/{question_id}", None, {"authorization": "Bearer SELLER-TOKEN"})[1]

    def test_a_question_is_answered(self):
        self.subscribe()
        question_id = self.ask()
        # The answer changes the question, which is a second notification.
        self.assertEqual(self.deliver(), [200, 200])
        self.assertEqual(self.question(question_id)["answer"]["text"], "Yes, it is in stock.")

    def test_a_notification_that_comes_twice_and_late_is_answered_once(self):
        self.subscribe(twice=1, late=1, lateMs=60_000, seed=7)
        question_id = self.ask()
        self.deliver()
        answers = [seen for seen in control("GET", "requests")["requests"] if seen["path"] == "/answers"]
        self.assertEqual(self.question(question_id)["status"], "ANSWERED")
        self.assertIn(200, [seen["status"] for seen in answers])

    def test_a_failing_service_is_asked_again(self):
        self.subscribe()
        control("POST", "faults", {"status": 503, "times": 2, "match": {"path": "/answers"}})
        question_id = self.ask()
        self.assertEqual(self.deliver(), [503, 503, 200, 200])
        self.assertEqual(self.question(question_id)["status"], "ANSWERED")
        # The second retry came 45 seconds after the question.
        self.assertGreaterEqual(control("GET", "clock")["now"], "2026-03-02T12:00:45")

    def test_an_expired_token_is_noticed(self):
        self.subscribe()
        control("POST", "expired-tokens", {"token": self.token})
        self.ask()
        self.assertEqual(self.deliver(), [200])
        self.assertEqual(self.integration.errors, [401])

    def test_a_wrong_call_of_the_fake_names_its_field(self):
        with self.assertRaisesRegex(AssertionError, "`from`: there is no user 9"):
            control("POST", "questions", {"from": 9, "item_id": "MLA600000001", "text": "Hm?"})


class AuthorizationTest(unittest.TestCase):
    """Logs in as a seller, with the code grant of OAuth 2.0 and PKCE."""

    def setUp(self):
        control("POST", "reset")

    def agree(self, parameters):
        """Presses the button of the authorisation page. Returns the parameters of the callback."""
        address = urllib.parse.urlsplit(BASE_URL)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
        path = "/authorization?" + urllib.parse.urlencode(parameters)
        form = {"content-type": "application/x-www-form-urlencoded"}
        connection.request("POST", path, "user_id=1001", form)
        location = connection.getresponse().getheader("location")
        connection.close()
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))

    def tokens(self, **fields):
        body = urllib.parse.urlencode({"client_id": "500", "client_secret": "any", **fields}).encode()
        form = {"content-type": "application/x-www-form-urlencoded"}
        sent = urllib.request.Request(BASE_URL + "/oauth/token", body, form)
        try:
            with urllib.request.urlopen(sent, timeout=10) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            return json.loads(error.read())

    def search(self, tokens):
        headers = {"authorization": f"Bearer {tokens['access_token']}"}
        return request("GET", "/questions/search?seller_id=1001", None, headers)[0]

    def test_a_seller_agrees_and_later_revokes_the_application(self):
        verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(verifier.encode()).digest()
        callback = self.agree({
            "response_type": "code",
            "client_id": "500",
            "redirect_uri": "https://bot.example.com/callback",
            "state": "of-this-login",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        })
        self.assertEqual(callback["state"], "of-this-login")
        code = {"grant_type": "authorization_code", "code": callback["code"], "redirect_uri": "https://bot.example.com/callback"}
        first = self.tokens(**code, code_verifier=verifier)
        self.assertEqual((first["user_id"], self.search(first)), (1001, 200))
        # A code and a refresh token work once.
        self.assertEqual(self.tokens(**code, code_verifier=verifier)["error"], "invalid_grant")
        refresh = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
        second = self.tokens(**refresh)
        self.assertEqual(self.search(second), 200)
        self.assertEqual(self.tokens(**refresh)["error"], "invalid_grant")
        control("POST", "ended-grants", {"user_id": 1001})
        self.assertEqual(self.search(second), 401)
        refresh["refresh_token"] = second["refresh_token"]
        self.assertEqual(self.tokens(**refresh)["error"], "invalid_grant")


def serve(integration):
    """Serves the callback of the integration on a free port."""

    class Callback(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers.get("content-length", 0))
            status = integration.on_notification(json.loads(self.rfile.read(length)))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Callback)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    unittest.main()
