// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// Each line of a server is either understood and shown, or ignored.
func fuzzMessages(_ bytes: [UInt8]) {
  var onlooker = Onlooker()
  onlooker.size.width = 1 + Int(bytes.first ?? 0)
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    guard let json = try? JSONValue(parsing: Array(line)), let message = ServerMessage(json: json)
    else { continue }
    onlooker.receive(message)
    if onlooker.reducer.isSettling { onlooker.show { reducer, _ in reducer.settle() } }
  }
  onlooker.leave()
}

/// Each line of an app event stream is understood and safe to show, or ignored.
func fuzzEvents(_ bytes: [UInt8]) {
  var news = AppEventNews()
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    guard let json = try? JSONValue(parsing: Array(line)), let message = ServerMessage(json: json)
    else { continue }
    _ = news.take(message)
    if let session = Session(json: json["summary"]) {
      expectSafe([session.name, session.workspaceName, session.model].compactMap(\.self))
      for time in [session.createdAt, session.lastActivity] { _ = time.iso8601 }
      precondition(session.pendingCount >= 0, "fewer than no dialogs")
    }
    if let question = UserQuestion(json: json, sessionID: "s") { expectShown(question) }
  }
}

/// The answer to a creation never claims a delivery that the server does not report, and its
/// reasons are safe to show.
func fuzzLaunches(_ bytes: [UInt8]) {
  let status = 100 + Int(bytes.first ?? 0) * 2
  guard let json = try? JSONValue(parsing: Array(bytes.dropFirst())) else { return }
  for status in [status, 200, 201, 409] {
    guard let answer = LaunchAnswer(status: status, json: json) else { continue }
    precondition(answer.sessionID.map(WireID.isValid) ?? true, "an id for no path")
    precondition((answer.session != nil) == (status != 409), "a session by status \(status)")
    precondition(status == 409 || (200..<300).contains(status), "an answer by status \(status)")
    expectSafe(answer.session?.name ?? "")
    switch answer.event {
    case .delivered:
      let delivered: JSONValue = "delivered"
      precondition(
        status != 409
          && (json["prompted"] == true
            || json["session"]["launch"]["promptDispatch"] == delivered),
        "delivered without a sign"
      )
    case .undelivered(let refusal, _): expectSafe(refusal.text ?? "")
    default: precondition(status == 409 && answer.event == .inProgress, "not an answer")
    }
  }
}

/// A listed dialog is shown whole and safely, and only offered answers are accepted.
func fuzzDialogs(_ bytes: [UInt8]) {
  guard let json = try? JSONValue(parsing: bytes),
    let dialogs = UserQuestion.listed(in: json, of: "s")
  else { return }
  for question in dialogs.prefix(8) {
    precondition(WireID.isValid(question.id), "an id for no path: \(question.id)")
    precondition(question.sessionID == "s", "another session")
    expectShown(question)
    for words in [["yes"], ["no"], ["1"], ["99"], ["1,2"], [""], ["a", "b"], ["-1"]] {
      guard let answer = try? question.answer(by: words) else { continue }
      _ = ApprovalPolicy.obstacle(to: .answer(answer), .question(question), on: .command)
    }
  }
}

/// Renders a question everywhere.
func expectShown(_ question: UserQuestion) {
  let request = HumanRequest.question(question)
  expectSafe([request.line, request.kind.word, question.extensionName ?? ""])
  _ = (question.timeoutAt?.iso8601, question.timeToDecide, request.digest)
  precondition(request.isAbout(sameAs: request), "not about the same")
  for width in [1, 8, 80] {
    expectSafe(RequestText.rows(of: request, width: width).map(\.plain))
  }
}
