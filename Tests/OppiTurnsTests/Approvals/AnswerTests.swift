// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi answer`; on older servers questions are read from the stream, and answered over it.
@Suite struct AnswerTests {
  @Test("a question is shown with its choices, and each argument answers a part of it")
  func answers() {
    inWorld(.multiplexed) { world, server in
      let id = try await world.session(asking: "question")
      let seen = await world.oppi("answer", "--", id, exits: 0)
      #expect(seen.lines.first == "! Which tests should I run? (1 of 2)", "\(seen)")
      #expect(seen.lines.contains("  2  All tests  Slow but complete"), "\(seen)")
      let outcome = await world.oppi("answer", "--json", "--", id, "2", "lint, docs")
      #expect(outcome.status == 0 && outcome.json["state"] == "answered", "\(outcome)")
      try await world.pass()
      let show = await world.oppi("show", "--", id)
      #expect(show.output.contains("scope: All tests"), "\(show)")
      await world.oppi("answer", "--", id, "1", exits: 5)
    }
  }

  @Test("an invalid answer is rejected with the choices, and nothing is sent")
  func refuses() {
    inWorld(.multiplexed) { world, server in
      let id = try await world.session(asking: "question")
      let slip = await world.oppi("answer", "--", id, "9", "", exits: 65)
      #expect(slip.errors.hasPrefix("oppi: '9' is not a choice\n"), "\(slip)")
      #expect(slip.errors.contains("choices: Unit tests, All tests"), "\(slip)")
      #expect(!(slip.output + slip.errors).contains("Which tests"), "\(slip)")
      #expect(await world.oppi("answer", "--", id, "1", "1", "1").status == 65)
      let part = await world.oppi("answer", "--", id, "1", exits: 65, saying: "2 parts")
      #expect(part.errors.contains("part 2: "), "\(part)")
      #expect(await world.oppi("answer", "--cancel", "--", id, "1").status == 64)
      #expect(await world.oppi("answer", "--yes", "--", id).status == 64)
      #expect(!server.messages.contains { $0.type == "extension_ui_response" })
    }
  }

  /// Repeats a question of a session to each subscriber.
  private static func question(
    of session: String,
    _ more: JSONObject = [:]
  ) -> @Sendable (Step) -> Intervention {
    let question: JSONObject = [
      "type": "extension_ui_request", "id": "q", "sessionId": .string(session), "method": "select",
      "title": "Deploy?", "options": ["Yes", "No"],
    ]
    return { step in
      guard step.isMessage("subscribe"), case .message(let json, _) = step else { return .proceed }
      return .reply([
        .object(question.adding(more)),
        [
          "type": "command_result", "command": "subscribe", "requestId": json["requestId"],
          "success": true,
        ],
      ])
    }
  }

  @Test("a question of another session on the stream is not answered")
  func otherSession() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      let id = try await world.session(asking: "hello")
      for (session, isAnswered) in [("other", false), (id, true)] {
        trouble.begin(Self.question(of: session))
        await world.oppi("answer", "--", id, "Yes")
        let isReply = server.messages.contains { $0.type == "extension_ui_response" }
        #expect(isReply == isAnswered)
      }
    }
  }

  @Test("a question that cannot be read whole gets no answer, and can be cancelled")
  func incomplete() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      let id = try await world.session(asking: "question")
      let prefill = String(repeating: "x", count: 65 << 10)
      trouble.begin(Self.question(of: id, ["prefill": .string(prefill)]))
      let outcome = await world.oppi("answer", "--", id, "Yes", exits: 65)
      #expect(outcome.errors.contains("cannot approve request q"), "\(outcome)")
      #expect(!server.messages.contains { $0.type == "extension_ui_response" })
      await world.oppi("answer", "--cancel", "--", id)
      #expect(server.messages.contains { $0.type == "extension_ui_response" })
    }
  }

  @Test(
    "--question neither shows nor answers another question",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func otherQuestion(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "question")
      let seen = await world.oppi("answer", "--json", "--question=other", "--", id)
      #expect(seen.json["question"] == .null && !seen.output.contains("Which tests"), "\(seen)")
      // The answer is not checked against the choices of another question.
      #expect(await world.oppi("answer", "--question=other", "--", id, "9").status == 5)
      #expect(await world.oppi("answer", "--", id, "1", "").status == 0)
    }
  }

  @Test(
    "a question that no list has is answered by its id",
    arguments: [
      (.multiplexed, "ask confirm", "--yes", "yes"), (.multiplexed, "ask confirm", "--no", "no"),
      (.perSession, "ask confirm", "--yes", "yes"),
      (.deviceKeys, "ask editor", "Fix it", "Fix it"),
    ] as [(Dialect, String, String, String)]
  )
  func dialog(dialect: Dialect, prompt: String, word: String, answer: String) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "hello")
      let following = world.run("follow", "--forever", "--json", "--", id)
      try await world.pass()
      _ = await world.oppi("ask", "-s", id, prompt)
      try await world.pass()
      await world.oppi("answer", "--", id, exits: 5)
      #expect(await world.requestIDs().isEmpty)
      let question = try #require(following.program.questionID)
      let words = word.hasPrefix("--") ? [word, "--", id] : ["--", id, word]
      await world.oppi(["answer", "--question=none-such"] + words, exits: 5)
      await world.oppi(["answer", "--question=\(question)"] + words, exits: 0)
      try await world.pass()
      let lines = await following.end().jsonLines
      #expect(lines.compactMap(\.["answer"].string).last == "You answered: \(answer)")
      let settled = lines.filter { $0["type"] == "question-settled" }.map(\.["id"].string)
      #expect(settled == (dialect.requests.listsDialogs ? [question] : []), "\(lines)")
    }
  }

  @Test("an answer does not start an agent")
  func unloaded() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      _ = await world.oppi("stop", "--session", "--", id)
      let streams = server.streams
      #expect(await world.oppi("answer", "--", id, "1").status == 5)
      #expect(server.streams == streams)
    }
  }
}

extension Program {
  /// The id of the last question in the program's JSON output.
  var questionID: String? {
    outputSoFar.split(separator: "\n").reversed().lazy
      .compactMap { try? JSONValue(parsing: Array($0.utf8)) }
      .first { $0["type"] == "question" }?["id"].string
  }
}
