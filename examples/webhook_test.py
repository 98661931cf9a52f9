"""Tests an integration against the fake marketplace, which runs as a server. Needs only Python's standard library.

    npx marketplace-seller-sdk fake --quiet --control-token of-my-test-suite &
    FAKE_TOKEN=of-my-test-suite python3 examples/webhook_test.py

The integration below answers each new question. The tests register it as a callback of the fake. They control faults,
the clock, tokens and notifications through the control endpoints.
"""

import json
import os
import threading
import unittest
import urllib.error
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
