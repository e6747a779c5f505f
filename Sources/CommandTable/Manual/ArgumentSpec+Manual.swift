// SPDX-License-Identifier: MIT

extension [ArgumentSpec] {
  var manualItems: [(term: String, meaning: String)] {
    filter { !$0.isHidden }.map { ($0.manualTerm, $0.manualMeaning) }
  }
}

extension ArgumentSpec {
  var synopsis: String {
    let dots = isRepeatable ? " ..." : ""
    if isRequired { return "Ar \(MdocWriter.words(placeholder))\(dots)" }
    if role.isPositional { return "Op Ar \(MdocWriter.words(placeholder))\(dots)" }
    let flag = short.map(String.init) ?? (negatedLabel == nil ? "-\(name)" : "-[no-]\(name)")
    return isRepeatable ? "Oo Fl \(flag)\(value) Oc Ns ..." : "Op Fl \(flag)\(value)"
  }

  private var value: String {
    placeholder.isEmpty ? "" : " Ar \(MdocWriter.words(placeholder))"
  }

  fileprivate var manualTerm: String {
    if role.isPositional {
      return "Ar \(MdocWriter.words(placeholder))" + (isRepeatable ? " ..." : "")
    }
    let letter = short.map { "Fl \($0) , " } ?? ""
    let negation = negatedLabel == nil ? "" : " , Fl -no-\(name)"
    return "\(letter)Fl -\(name)\(negation)\(value)"
  }

  fileprivate var manualMeaning: String {
    notes.isEmpty ? "\(help)." : "\(help) (\(notes.joined(separator: "; ")))."
  }
}
