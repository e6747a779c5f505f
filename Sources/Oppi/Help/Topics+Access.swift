// SPDX-License-Identifier: MIT

import CommandTable

extension Topics {
  static let dialects = HelpTopic(
    name: "dialects",
    summary: "The supported servers, and how they differ",
    body: """
      These servers are supported. What a server speaks is detected from what it offers and \
      answers, and stored; 'oppi servers show' prints its name:

          deviceKeys       0.47 and later: a key of this machine; dialogs
          sessionSockets   0.4 to 0.46: a token; dialogs
          multiplexed      spring 2026: a token; the server's own gate
          perSession       before 2026-02-22: a token; the server's own gate

      The gate of a server holds tool calls until they are approved, and names the tool, its \
      arguments and the risk. Servers without a gate run tools without approval unless an \
      extension asks in a dialog, which has only texts. 'oppi approvals' lists both. A yes-or-no \
      dialog is approved or denied; for others use 'oppi answer ID VALUE'. Read the text of a \
      dialog with 'oppi approvals show ID' before you answer.

      An access token is requested again when it expires, at most once by all processes. A session \
      stream is closed with its token and opened again; nothing is lost. If a server is updated, \
      its old token is exchanged for a device key if the server allows it (0.47 and 0.48); \
      otherwise pair again.

      Only servers since 0.47 have a list of devices ('oppi servers devices'), and only servers \
      since 0.46 run schedules ('oppi schedule list --all').
      """
  )

  static let keys = HelpTopic(
    name: "keys",
    summary: "Device keys, and programs that keep them",
    explains: ["--key-command"],
    body: """
      'oppi pair' makes a P-256 key for each server since 0.47 and enrols it. The private key is in \
      credentials.json, or in the systemd credential oppi-SERVER: {"deviceId": "dev_...", \
      "privateKey": "BASE64"}. The server stores the public key. 'oppi servers revoke' removes a \
      machine from a server.

      With 'oppi pair --key-command COMMAND' a program keeps the private key, for example in a TPM, \
      on a smart card or in an agent. COMMAND is split at blanks, stored as the list keyCommand in \
      servers.json, and run without a shell, with one more argument:

          public-key   print the public key: PEM, or the same DER, or its base64
          sign         sign standard input with ECDSA, SHA-256: DER, or its base64

      It is called while pairing and whenever a token expires, about every 10 minutes while you use \
      the server. It must exit with status 0 within 10 s and print at most 16 KiB; its standard \
      error is shown. 'oppi pair' checks a signature before it uses the invite. Pairing again uses \
      the same program. 'oppi examples show keys' prints a program for openssl, with the commands \
      for a TPM and for PKCS#11.
      """
  )
}
