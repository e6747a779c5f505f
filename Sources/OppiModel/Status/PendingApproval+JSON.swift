// SPDX-License-Identifier: MIT

extension PendingApproval {
  static let shape = RecordShape(
    // An unknown risk may be any.
    PendingApproval(id: "", tool: "", summary: "", risk: .high),
    [
      .required("id", \.id, .wireID).means("The request's id"),
      .defaulted("kind", \.kind, .kind)
        .means("permission for a tool call; for a dialog ask, select, confirm, input or editor"),
      .defaulted("tool", \.tool, .line(60)).means("The tool to be called, or the dialog's kind"),
      .defaulted("summary", \.summary, .line(400))
        .means("A summary of the call or the dialog's text, truncated if long"),
      .optional("reason", \.reason, .line(200))
        .means("The reason given by the server, or the extension that asks; absent if none"),
      .defaulted("risk", \.risk, .word)
        .means("The estimated risk: read, write, exfiltration, destructive or high"),
      .optional("expiresAt", \.expiresAt, .milliseconds)
        .means("When it is auto-denied, on this machine's clock; absent if never"),
    ]
  )
}

extension JSONField<HumanRequest.Kind> {
  fileprivate static var kind: JSONField { spelled(\.word) { HumanRequest.Kind($0) } }
}

extension JSONField<Risk> {
  fileprivate static var word: JSONField {
    spelled(\.word) { word in Risk.allCases.first { $0.word == word } }
  }
}
