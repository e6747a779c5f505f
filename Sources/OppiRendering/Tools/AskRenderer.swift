// SPDX-License-Identifier: MIT

import OppiModel

/// Questions to the user and their answers.
enum AskRenderer: ToolRenderer {
  static let tools: Set = ["ask"]

  static func subject(of call: ToolCallActivity) -> String {
    let questions = call.arguments["questions"].array ?? []
    let first = questions.first?["question"].string ?? ""
    return questions.count > 1 ? "\(first) (and \(questions.count - 1) more)" : first
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    guard call.state == .succeeded, let answers = call.details["answers"].object else {
      return failure(of: call)
    }
    if answers.isEmpty { return [StyledText("not answered", .dim)] }
    return answers.sorted { $0.key < $1.key }.map { id, answer in
      let values = answer.array ?? [answer]
      return StyledText("\(id): \(values.map { $0.string ?? $0.text() }.joined(separator: ", "))")
    }
  }
}
