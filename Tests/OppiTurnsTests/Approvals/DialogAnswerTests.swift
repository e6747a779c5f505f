// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi answer` on servers that list their dialogs.
@Suite struct DialogAnswerTests {
  @Test(
    "an option is named by its exact text or its number, and sent as its text",
    arguments: [("Yes", "Yes"), ("1", "Yes"), ("No", "No"), ("2", "No")]
  )
  func select(word: String, value: String) {
    inWorld { world, server in
      let (session, id) = try await world.waiting(asking: "gate")
      let outcome = await world.oppi("answer", "--json", "--", id, word)
      #expect(outcome.status == 0 && outcome.json["state"] == "answered", "\(outcome)")
      #expect(
        outcome.json["questionId"].string == id && outcome.json["sessionId"].string == session
      )
      #expect(server.commands.map(\.["value"].string) == [value])
      let answer = try await DialogsTests.answer(world, session)
      #expect(
        answer == (value == "Yes" ? "The build is cleared.\n" : "Not cleared: Blocked by user\n")
      )
      await world.oppi("answer", "--", id, word, exits: 5)
      #expect(server.commands.count == 1)
    }
  }

  @Test(
    "anything but an option is rejected, and nothing is sent",
    arguments: [["yes"], ["YES"], ["y"], ["3"], ["0"], [""], ["Yes", "No"]]
  )
  func rejected(words: [String]) {
    inWorld { world, server in
      let id = try await world.request(asking: "gate")
      let outcome = await world.oppi(["answer", "--", id] + words, exits: 65)
      if words.count == 1 {
        #expect(outcome.errors.contains("choices: 1 Yes, 2 No"), "\(outcome)")
      }
      #expect(server.commands.isEmpty)
    }
  }

  @Test("a dialog is answered by its session while it is the only one there")
  func session() {
    inWorld { world, server in
      let session = try await world.session(asking: "ask select")
      let seen = await world.oppi("answer", "--", session)
      #expect(seen.status == 0 && seen.lines.contains("  2  Green"), "\(seen)")
      #expect(await world.oppi("answer", "last", "Green").status == 0)
      #expect(try await DialogsTests.answer(world, session) == "You answered: Green\n")
      await world.oppi("answer", "--", session, "Red", exits: 5)

      let other = try await world.session(asking: "two gates")
      let several = await world.oppi("answer", "--", other, "Yes", exits: 64)
      for id in await world.requestIDs() { #expect(several.errors.contains(id), "\(several)") }
      #expect(server.commands.count == 1)
    }
  }

  @Test("SERVER/ID names a question or its session", arguments: [true, false])
  func qualified(isSession: Bool) {
    inWorld { world, server in
      let (session, id) = try await world.waiting(asking: "ask select")
      let name = isSession ? session : id
      await world.oppi("answer", "nowhere/\(name)", "Green", exits: 66)
      await world.oppi("answer", "studio/\(name)", "Green", exits: 0)
      #expect(server.commands.count == 1)
    }
  }

  @Test("the parts of an ask are answered by values, in order or one by its id")
  func parts() {
    inWorld { world, server in
      let id = try await world.request(asking: "question")
      let seen = await world.oppi("answer", "--", id)
      #expect(seen.lines.contains("  question 1, id scope:"), "\(seen)")
      #expect(await world.oppi("answer", "--question=none", "--", id, "1").status == 65)
      await world.oppi("answer", "--", id, "All tests", exits: 65, saying: "2 parts")
      #expect(server.commands.isEmpty)
      await world.oppi("answer", "--", id, "All tests", "1,Docs", exits: 0)
      let value = server.commands.last?["value"].string ?? ""
      let answers = try JSONValue(parsing: Array(value.utf8))
      #expect(answers["scope"].string == "all", "\(answers)")
      #expect(answers["extras"].array?.count == 2, "\(answers)")

      let next = try await world.request(asking: "question")
      #expect(await world.oppi("answer", "--question=scope", "--", next, "1").status == 0)
      #expect(server.commands.last?["value"] == #"{"scope":"unit"}"#)

      let session = try await world.session(asking: "question")
      try await world.pass()
      await world.oppi("answer", "--question=extras", "--", session, "Lint", exits: 0)
      #expect(server.commands.last?["value"] == #"{"extras":["lint"]}"#)
    }
  }

  @Test("a part that two pending questions of a session have names neither")
  func partOfTwo() {
    inTroubledWorld { world, server, trouble in
      let session = try await world.session(asking: "question")
      try await world.pass()
      let questions = ["one", "two"].map { id -> JSONValue in
        [
          "id": .string(id), "method": "ask",
          "questions": [["id": "scope", "question": "Which?", "options": ["a", "b"]]],
        ]
      }
      trouble.at("/dialogs", .dialogs(questions))
      let both = await world.oppi("answer", "--question=scope", "--", session, "1", exits: 64)
      #expect(both.errors.contains("several pending questions"), "\(both)")
      for id in ["one", "two"] { #expect(both.errors.contains("hint: \(id) "), "\(both)") }
      #expect(server.commands.isEmpty)
    }
  }

  @Test("the hint for an editor names its id, as no list does")
  func editorHint() throws {
    inWorld { world, server in
      let words = ["ask", "-w", "demo", "--wait", "--on-ask", "fail", "ask editor"]
      let asked = await world.oppi(words, exits: 3)
      let hint = try #require(asked.errors.split(separator: "oppi answer ").last)
      let names = hint.split(separator: " ").prefix(2)
      let id = try #require(names.first).dropFirst("--question=".count)
      let session = try #require(names.last).dropLast()
      await world.oppi("answer", "--question=\(id)", "--", String(session), "Fix it", exits: 0)
      #expect(server.commands.contains { $0["value"] == "Fix it" })
    }
  }

  @Test("an input takes one text")
  func texts() {
    inWorld { world, server in
      let (input, id) = try await world.waiting(asking: "ask input")
      await world.oppi("answer", "--", id, "two", "words", exits: 65)
      await world.oppi("answer", "--", id, "Ada Lovelace", exits: 0)
      #expect(try await DialogsTests.answer(world, input) == "You answered: Ada Lovelace\n")
    }
  }

  @Test("--yes and --no answer only a yes-or-no question, and --cancel any")
  func flags() {
    inWorld { world, server in
      let session = try await world.session(asking: "ask confirm")
      #expect(await world.oppi("answer", "--yes", "--", session).status == 0)
      #expect(try await DialogsTests.answer(world, session) == "You answered: yes\n")
      let select = try await world.session(asking: "ask select")
      let wrong = await world.oppi("answer", "--yes", "--", select)
      #expect(wrong.status == 65 && wrong.errors.contains("not a yes-or-no question"), "\(wrong)")
      await world.oppi("answer", "--cancel", "--", select, exits: 0, saying: "request cancelled")
      #expect(server.commands.map(\.["confirmed"]) == [true, .null])
    }
  }

  @Test("--yes and --no send the choice of a select that means it", arguments: ["yes", "no"])
  func consent(word: String) {
    inWorld { world, server in
      let id = try await world.request(asking: "gate")
      await world.oppi("answer", "--\(word)", "--question=none", "--", id, exits: 65)
      await world.oppi("answer", "--\(word)", "--", id, exits: 0)
      #expect(server.commands.map(\.["value"].string) == [word == "yes" ? "Yes" : "No"])
    }
  }

  // MARK: - Lost and late answers

  @Test("a dialog that was settled between the list and the answer is no longer pending")
  func settledBetween() {
    inTroubledWorld { world, server, trouble in
      let (session, id) = try await world.waiting(asking: "ask confirm")
      // Every list still has the dialog.
      trouble.dialogs(["id": .string(id), "method": "confirm", "title": "Proceed?"])
      _ = await world.oppi("stop", "--", session)
      await world.oppi("answer", "--", id, "yes", exits: 5)
    }
  }

  @Test("an answer that is cut off or timed out is unknown, although the dialog is still listed")
  func lostBefore() {
    // A slow server may still act on it.
    for loss in [Intervention.drop, .hang] {
      inTroubledWorld { world, server, trouble in
        let id = try await world.request(asking: "gate")
        trouble.at("/command", loss)
        let lost = await world.oppi("answer", "--json", "--", id, "Yes")
        #expect(lost.status == 6 && lost.error["code"] == "outcome-unknown", "\(lost)")
        trouble.end()
        #expect(await world.requestIDs() == [id])
      }
    }
  }

  @Test("an answer whose response or confirmation is lost is unknown, and sent once")
  func lostAfter() {
    for path in ["/command", "/dialogs"] {
      inTroubledWorld { world, server, trouble in
        let id = try await world.request(asking: "gate")
        trouble.begin { step in
          guard path == "/command" else {
            // The list before the answer is answered, and the one after it is not.
            return step.isRequest("/dialogs") && !server.commands.isEmpty ? .drop : .proceed
          }
          return step.isRequest("/command") ? .performThenDrop : .proceed
        }
        let outcome = await world.oppi("answer", "--json", "--", id, "Yes")
        #expect(outcome.status == 6, "\(path): \(outcome)")
        #expect(outcome.error["code"] == "outcome-unknown", "\(outcome)")
        trouble.end()
        #expect(server.commands.count == 1)
        #expect(await world.requestIDs().isEmpty)
      }
    }
  }

  @Test("an answer that the server accepts and ignores is unknown")
  func ignored() {
    inTroubledWorld { world, server, trouble in
      let id = try await world.request(asking: "gate")
      trouble.at("/command", .answer(json: ["messages": []]))
      #expect(await world.oppi("answer", "--", id, "Yes").status == 6)
      trouble.at("/command", .answer(json: ["messages": [["type": "error", "error": "not now"]]]))
      let refused = await world.oppi("answer", "--", id, "Yes")
      #expect(refused.status != 0 && refused.errors.contains("not now"), "\(refused)")
      #expect(await world.requestIDs() == [id])
    }
  }

  @Test("of two concurrent answers the first counts, and the second is too late")
  func atOnce() {
    inWorld { world, server in
      let id = try await world.request(asking: "gate")
      let first = world.begin("answer", "--", id, "Yes")
      let second = world.begin("answer", "--", id, "No")
      let statuses = [await first.value.status, await second.value.status]
      #expect(Set(statuses) == [0, 5], "\(statuses)")
    }
  }
}
