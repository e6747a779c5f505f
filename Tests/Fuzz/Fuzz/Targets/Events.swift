// SPDX-License-Identifier: MIT

import OppiModel

/// Each line of an app event stream is understood and safe to show, or ignored.
func fuzzEvents(_ bytes: [UInt8]) {
  var news = AppEventNews()
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    guard let message = AppEventNews.message(in: Array(line)) else { continue }
    _ = news.take(message)
    if let session = Session(json: message["summary"]) {
      expectSafe([session.name, session.workspaceName, session.model].compactMap(\.self))
      for time in [session.createdAt, session.lastActivity] { _ = time.iso8601 }
      precondition(session.pendingCount >= 0, "fewer than no dialogs")
    }
    if let question = UserQuestion(json: message, sessionID: "s") { expectShown(question) }
  }
}
