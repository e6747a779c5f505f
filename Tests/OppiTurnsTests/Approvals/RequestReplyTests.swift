// SPDX-License-Identifier: MIT

import FakeServer
import Simulation
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Which replies each kind of request accepts, and what is sent.
@Suite struct RequestReplyTests {
  private static func dialog(_ method: String, _ more: JSONObject = [:]) -> HumanRequest {
    let body = (["title": "Run rm -rf ./build?"] as JSONObject).adding(more)
    return .question(UserQuestion.sample(method, .object(body)))
  }

  private static let call = HumanRequest.call("p", "ls")

  private static func reply(_ reply: RequestReply, to request: HumanRequest) -> RequestReply? {
    try? request.accepting(reply)
  }

  /// Whether a reply is refused, and why.
  private static func refuses(
    _ reply: RequestReply,
    to request: HumanRequest,
    with words: String
  ) -> Bool {
    do throws(OppiError) {
      _ = try request.accepting(reply)
      return false
    } catch {
      return error.message.contains(words)
    }
  }

  private static let needsAnswer = "it cannot be approved"
  private static let hasNoScope = "--scope session and --scope global do not apply"
  private static let needsDecision = "it takes no answer"
  private static let incomplete = "too long to be shown in full"

  @Test(
    "no option is taken for an approval unless the only other one refuses",
    arguments: [
      ["Yes"], ["Yes", "Yes"], ["Yes", "Later"], ["Yes", "No", "Yes, for this session"],
      ["Always", "No"], ["Allow for this session", "Deny"], ["Yes, always", "No"], ["Red", "Blue"],
      ["Yes\u{200B}", "No"], ["Yes ", "No"], ["Y\u{435}s", "No"], ["No", "Deny"], [],
      ["Trust (remember)", "Trust this session", "Don't trust"],
    ]
  )
  func neverGuesses(options: [String]) {
    let select = Self.dialog("select", ["options": .array(options.map(JSONValue.string))])
    #expect(select.needs == .answer)
    #expect(Self.refuses(.decision(.allow), to: select, with: Self.needsAnswer))
    #expect(Self.reply(.decision(.deny), to: select) == .answer(.cancelled))
    for method in ["ask", "input", "editor", "draw"] {
      #expect(Self.refuses(.decision(.allow), to: Self.dialog(method), with: Self.needsAnswer))
    }
  }

  @Test(
    "a select of two choices is approved and denied by its own values, in any case and order",
    arguments: [
      ("Yes", "No"), ("yes", "no"), ("Y", "n"), ("Allow", "Deny"), ("Allow", "Block"),
      ("Approve", "Reject"), ("Proceed", "Cancel"), ("Continue", "Cancel"),
      ("Yes, allow", "No, Cancel"), ("Allow once", "Deny"), ("OK", "Cancel"),
    ]
  )
  func consent(yes: String, no: String) {
    for options in [[yes, no], [no, yes]] {
      let select = Self.dialog("select", ["options": .array(options.map(JSONValue.string))])
      #expect(select.needs == .approval)
      #expect(Self.reply(.decision(.allow), to: select) == .answer(.value(yes)))
      #expect(Self.reply(.decision(.deny), to: select) == .answer(.value(no)))
      #expect(select.refusal == .answer(.value(no)))
      #expect(RequestReply.answer(.value(yes)).effect(on: select) == .allow)
      #expect(RequestReply.answer(.value(no)).effect(on: select) == .deny)
    }
  }

  @Test("a choice with a note, or with another value than its label, approves nothing")
  func notes() {
    for yes: JSONValue in [
      ["value": "Yes", "label": "Yes", "description": "and all that follow"],
      ["value": "always", "label": "Yes"], ["value": "Yes", "label": "No"],
    ] {
      for options: JSONValue in [[yes, "No"], ["No", yes]] {
        let select = Self.dialog("select", ["options": options])
        #expect(select.needs == .answer)
        #expect(Self.refuses(.decision(.allow), to: select, with: Self.needsAnswer))
      }
    }
  }

  @Test("a dialog has no approval for more than this time")
  func scopes() {
    for method in ["ask", "select", "confirm", "input", "editor"] {
      for decision in [PermissionDecision.allowForSession, .allowEverywhere] {
        #expect(Self.refuses(.decision(decision), to: Self.dialog(method), with: Self.hasNoScope))
      }
    }
  }

  @Test("a tool call takes decisions and no answers")
  func calls() {
    for decision in [PermissionDecision.allow, .allowForSession, .allowEverywhere, .deny] {
      #expect(Self.reply(.decision(decision), to: Self.call) == .decision(decision))
    }
    for answer in [QuestionAnswer.value("Yes"), .confirmed(true), .cancelled] {
      #expect(Self.refuses(.answer(answer), to: Self.call, with: Self.needsDecision))
    }
  }

  @Test("a request that is not whole accepts only a refusal")
  func incomplete() {
    let cut = Self.dialog("confirm", ["message": .string(String(repeating: "a", count: 1 << 21))])
    #expect(Self.refuses(.decision(.allow), to: cut, with: Self.incomplete))
    #expect(Self.refuses(.answer(.confirmed(true)), to: cut, with: Self.incomplete))
    #expect(Self.reply(.decision(.deny), to: cut) == .answer(.cancelled))
    #expect(Self.reply(.answer(.confirmed(false)), to: cut) == .answer(.confirmed(false)))
    let more: JSONObject = [
      "message": .string(String(repeating: "a", count: 1 << 21)), "options": ["Yes", "No"],
    ]
    let gate = Self.dialog("select", more)
    #expect(Self.refuses(.decision(.allow), to: gate, with: Self.needsAnswer))
    #expect(Self.refuses(.answer(.value("Yes")), to: gate, with: Self.incomplete))
    #expect(Self.reply(.decision(.deny), to: gate) == .answer(.cancelled))
  }
}

/// Marks on requests belong to a request as it was shown.
@Suite struct BatchMarksTests {
  @Test("only an approval of this call, a yes and refusals can be marked")
  func replies() {
    let request = ConsoleDesk.request("a", "ls")
    let rows: [(RequestReply, Bool)] = [
      (.decision(.allow), true), (.decision(.deny), true), (.decision(.allowForSession), false),
      (.decision(.allowEverywhere), false), (.answer(.value("yes")), false),
      (.answer(.confirmed(true)), false),
    ]
    for (reply, isMarked) in rows {
      var marks = BatchMarks()
      let isTaken = marks.mark(request, reply)
      #expect(isTaken == isMarked, "\(reply)")
      #expect(marks.isEmpty == !isMarked && (marks[request.id] != nil) == isMarked)
    }
  }

  @Test("a request that is not whole can be marked deny and not allow")
  func incomplete() {
    let request = ConsoleDesk.request("a", String(repeating: "ls; ", count: 40_000))
    var marks = BatchMarks()
    let isAllowed = marks.mark(request, .decision(.allow))
    #expect(!isAllowed && marks.isEmpty)
    let isDenied = marks.mark(request, .decision(.deny))
    #expect(isDenied && !marks.isEmpty)
  }
}

extension ShownRequests.Entry {
  /// A call that was shown in full.
  static func call(
    _ command: String,
    id: String = "call00001111",
    of server: Int = 1,
    in session: String = "S"
  ) -> Self {
    Self(HumanRequest.call(id, command), of: Fingerprint.sample(server), in: session)
  }
}

/// What a command has shown in full is what a later one approves or answers.
@Suite struct ShownRequestsTests {
  @Test("a request differs only from the one of its server, its session and its id")
  func differ() {
    var shown = ShownRequests()
    #expect(!shown.differ(from: .call("ls")))
    shown.add(read: .call("ls"))
    #expect(!shown.differ(from: .call("ls")))
    #expect(shown.differ(from: .call("rm")))
    for other: ShownRequests.Entry in [
      .call("rm", id: "othr00001111"), .call("rm", of: 2), .call("rm", in: "T"),
    ] {
      #expect(!shown.differ(from: other), "\(other)")
    }
    shown.add(read: .call("rm"))
    #expect(!shown.differ(from: .call("rm")) && shown.differ(from: .call("ls")))
  }

  @Test("a session is answered only for the request that was shown last of it")
  func session() {
    var shown = ShownRequests()
    #expect(!shown.differInSession(from: .call("ls")))
    shown.add(read: .call("ls", id: "a"))
    shown.add(read: .call("ls", id: "b"))
    shown.add(read: .call("ls", id: "c", in: "T"))
    shown.add(read: .call("ls", id: "c", of: 2))
    #expect(!shown.differInSession(from: .call("ls", id: "b")))
    #expect(shown.differInSession(from: .call("rm", id: "b")))
    #expect(shown.differInSession(from: .call("ls", id: "a")))
    shown.add(read: .call("ls", id: "a"))
    #expect(!shown.differInSession(from: .call("ls", id: "a")))
    #expect(!shown.differInSession(from: .call("ls", id: "a", in: "U")))
  }

  @Test("the start of an id stands for the request that was shown last of those it matches")
  func start() {
    var shown = ShownRequests()
    for id in ["ab1", "ab2", "ac1"] { shown.add(read: .call("ls", id: id)) }
    #expect(!shown.differInSession(from: .call("ls", id: "ab2"), startingWith: "ab"))
    for id in ["ab1", "ab3"] {
      #expect(shown.differInSession(from: .call("ls", id: id), startingWith: "ab"), "\(id)")
    }
    #expect(!shown.differInSession(from: .call("ls", id: "ad1"), startingWith: "ad"))
  }

  @Test("a damaged record is replaced, with one warning, and compares later calls")
  func damaged() {
    inTroubledWorld(.gated) { world, server, trouble in
      trouble.pending(.call("call00001111", "ls"))
      world.disk.put(Array("{".utf8), at: "\(World.home)/.local/state/oppi/shown-requests.json")
      let shown = await world.oppi("approvals", "show", "call00001111", exits: 0)
      let warnings = shown.errorLines.filter { $0.contains("warning") }
      #expect(warnings.count == 1 && warnings[0].hasSuffix("it is replaced"), "\(shown)")
      let again = await world.oppi("approvals", "show", "call00001111", exits: 0)
      #expect(!again.errors.contains("warning"), "\(again)")
      trouble.pending(.call("call00001111", "rm -rf /"))
      let changed = await world.oppi("approve", "call00001111", exits: 5)
      #expect(changed.errors.contains("has changed since it was shown"), "\(changed)")
      #expect(changed.errors.contains("oppi approvals show call00001111"), "\(changed)")
      #expect(server.decisions == 0)
    }
  }

  @Test(
    "a session gets no answer to another question than the one that was shown last",
    arguments: ["shown and denied", "shown and denied, named last", "asked and answered"]
  )
  func answer(before: String) {
    inWorld { world, server in
      let session = try await world.session(asking: "two gates")
      let name = before.hasSuffix("last") ? "last" : session
      let first = try #require(await world.requestIDs().first)
      if before == "asked and answered" {
        await world.oppi("answer", "--", first, exits: 0)
        await world.oppi("answer", "--", first, "Yes", exits: 0)
      } else {
        await world.oppi("approvals", "show", first, exits: 0)
        await world.oppi("deny", "--", first, exits: 0)
      }
      let other = await world.oppi("answer", "--", name, "Yes", exits: 5)
      #expect(other.errors.contains("now asks another question"), "\(other)")
      #expect(other.errors.contains("oppi answer \(session)"), "\(other)")
      #expect(server.commands.count == 1)
      await world.oppi("answer", "--", name, exits: 0)
      await world.oppi("answer", "--", name, "Yes", exits: 0)
    }
  }

  @Test("the start of an id that matched another question when it was shown answers nothing")
  func answerByStart() {
    inTroubledWorld { world, server, trouble in
      _ = try await world.session(asking: "gate")
      for id in ["gate-1", "gate-2"] {
        let gate: JSONValue = [
          "id": .string(id), "method": "select", "title": "Allow?", "options": ["Yes", "No"],
        ]
        trouble.dialogs(gate)
        if id == "gate-1" { _ = await world.oppi("answer", "gate", exits: 0) }
      }
      let other = await world.oppi("answer", "gate", "Yes", exits: 5)
      #expect(other.errors.contains("now asks another question"), "\(other)")
      #expect(server.commands.isEmpty)
      // The whole id names one question only.
      _ = await world.oppi("answer", "gate-2", "Yes")
      #expect(server.commands.count == 1)
    }
  }
}
