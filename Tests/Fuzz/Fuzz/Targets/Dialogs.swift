// SPDX-License-Identifier: MIT

import Oppi
import OppiModel
import OppiTerminal

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
  _ = (question.timeoutAt?.iso8601, question.patience, request.contentHash)
  precondition(request.isAbout(sameAs: request), "not about the same")
  for width in [1, 8, 80] {
    expectSafe(RequestText.rows(of: request, width: width).map(\.plain))
  }
}
