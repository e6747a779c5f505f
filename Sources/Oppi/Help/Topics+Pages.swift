// SPDX-License-Identifier: MIT

import CommandTable

extension Topics {
  /// The pages of section 5 of the manual; other topics have pages in section 7, or are part of the
  /// program's own page.
  static var pages: [TopicPage] { [configPage, jsonPage] }

  private static var configPage: TopicPage {
    TopicPage(
      name: "config",
      section: 5,
      summary: "Files that configure oppi",
      parts: [
        TopicPage.Part(
          "DESCRIPTION",
          .text(
            """
            You may edit these files. 'oppi help files' lists all other files, which only oppi \
            writes.
            """
          )
        ),
        TopicPage.Part(
          "FILES",
          .files(files.filter { $0.term.hasPrefix("$XDG_CONFIG_HOME/") })
        ),
        TopicPage.Part("SETTINGS", .topic(settings.name)),
        TopicPage.Part("SHORTCUTS", .topic(shortcutFile.name)),
        TopicPage.Part("SERVERS", .text(serversText)),
      ]
    )
  }

  private static let serversText = """
    'oppi pair' writes servers.json, and 'oppi servers' changes it. You can add or change these \
    members in the object of a server:

      "tokenCommand": ["pass", "show", "oppi/studio"]
      "keyCommand": ["oppi-key"]
      "proxy": "socks5://127.0.0.1:1080"

    tokenCommand is a program with its arguments; the first line of its output is the token \
    ('oppi help files' has the search order). keyCommand is the program that keeps the key of \
    this machine; 'oppi pair --key-command' sets it ('oppi help keys'). proxy is the proxy for this server only; without \
    it the environment variables apply ('oppi help environment').
    """

  private static var jsonPage: TopicPage {
    TopicPage(
      name: "json",
      section: 5,
      summary: "JSON output of oppi",
      parts: [
        TopicPage.Part("DESCRIPTION", .body(of: json.name)),
        TopicPage.Part("ERROR OBJECT", .text(errorText)),
        TopicPage.Part("COMPATIBILITY", .text(compatibilityText)),
        TopicPage.Part("MEMBERS", .lists(of: json.name)),
      ]
    )
  }

  private static let compatibilityText = """
    New versions may add members but do not rename, remove or change existing ones. The same \
    applies to error codes. Programs must ignore unknown members and unknown types of lines.
    """

  private static var errorText: String {
    """
    A failure is one line on standard error:

      {"error": {"code": "...", "message": "...", "hints": ["..."], "status": 64}}

    message is human-readable and may change. hints suggest commands, and status is the exit \
    status. The codes, each with its exit status:

    \(errorCodes)
    """
  }
}
