/* A C program: headers are C, and constants can stand in a switch. */
#include <stdio.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad_metadata.h"

int main(void)
{
    switch (aclInit(NULL)) {
    case ACL_SUCCESS:
        printf("%s %zu\n", aclrtGetSocName(), aclDataTypeSize(ACL_BF16));
        return aclFinalize() == ACL_ERROR_NONE ? 0 : 1;
    default:
        return 1;
    }
}
